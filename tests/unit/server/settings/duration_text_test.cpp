#include "server/settings/duration_text.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(DurationText, IsParsedInEveryUnit) {
  const struct {
    const char* text;
    std::optional<Duration> expected;
  } cases[] = {
      {"30", Duration::seconds(30)},
      {"1.5", Duration::millis(1500)},
      {"250ms", Duration::millis(250)},
      {"30s", Duration::seconds(30)},
      {"5m", Duration::minutes(5)},
      {"1.5h", Duration::minutes(90)},
      {"90d", Duration::days(90)},
      {"2w", Duration::days(14)},
      {"never", Duration::forever()},
      {"0", Duration()},
      {"", std::nullopt},
      {"d", std::nullopt},
      {"-1", std::nullopt},
      {"1 d", std::nullopt},
      {"5 minutes", std::nullopt},
      {"nan", std::nullopt},
      {"inf", std::nullopt},
      {"9999999999999w", std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(parse_duration(c.text), c.expected);
  }
}

TEST(DurationText, RoundTrips) {
  for (const char* text : {"90d", "5m", "36h", "1500ms", "1s", "never", "0s"}) {
    EXPECT_EQ(duration_text(parse_duration(text).value()), text);
  }
}

}  // namespace
}  // namespace longshore
