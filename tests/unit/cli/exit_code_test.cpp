#include "cli/exit_code.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(ExitCode, DependsOnTheError) {
  const struct {
    Error error;
    int expected;
  } cases[] = {
      {{Errc::unavailable, "no answer"}, 69},
      {{Errc::unavailable, "503", Code::store_unavailable}, 1},
      {{Errc::not_found, "404", Code::not_found}, 3},
      {{Errc::refused, "409", Code::key_in_use}, 4},
      {{Errc::refused, "409", Code::terminal}, 4},
      {{Errc::refused, "401", Code::unauthenticated}, 5},
      {{Errc::refused, "403", Code::forbidden}, 5},
      {{Errc::refused, "409", Code::job_failed}, 6},
      {{Errc::refused, "409", Code::job_canceled}, 6},
      {{Errc::invalid, "422", Code::invalid_field}, 1},
      {{Errc::corrupt, "the store"}, 70},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.error.message);
    EXPECT_EQ(static_cast<int>(exit_code_of(c.error)), c.expected);
  }
}

}  // namespace
}  // namespace longshore
