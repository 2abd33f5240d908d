// When the tables that jobs pass through are swept.
#include "store/postgres/connection/vacuumer.h"

#include <gtest/gtest.h>

namespace longshore::postgres {
namespace {

constexpr Instant now = Instant::millis(1000);

TEST(Vacuumer, IsDueForOneCallerAfterManyClaims) {
  Vacuumer broom;
  int due = 0;
  int claims = 0;
  while (due == 0 && claims < 1'000'000) {
    due += broom.is_due(1, now) ? 1 : 0;
    claims += 1;
  }
  EXPECT_GT(claims, 1000);
  EXPECT_FALSE(broom.is_due(1, now));
  EXPECT_TRUE(broom.is_due(claims, now)) << "as many again";
}

}  // namespace
}  // namespace longshore::postgres
