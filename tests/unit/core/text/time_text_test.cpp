#include "core/text/time_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/ids/random.h"

namespace longshore {
namespace {

constexpr std::int64_t first_millis = -62'167'219'200'000;
constexpr std::int64_t last_millis = 253'402'300'799'999;

TEST(TimeText, IsWrittenInUtcWithThreeDigitsOfMilliseconds) {
  struct Case {
    std::int64_t millis;
    std::string_view text;
  };
  const Case cases[] = {
      {0, "1970-01-01T00:00:00.000Z"},
      {1, "1970-01-01T00:00:00.001Z"},
      {-1, "1969-12-31T23:59:59.999Z"},
      {1'794'709'320'123, "2026-11-15T02:22:00.123Z"},
      {951'782'400'000, "2000-02-29T00:00:00.000Z"},
      {4'107'542'399'999, "2100-02-28T23:59:59.999Z"},
      {4'107'542'400'000, "2100-03-01T00:00:00.000Z"},
      {first_millis, "0000-01-01T00:00:00.000Z"},
      {last_millis, "9999-12-31T23:59:59.999Z"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(to_text(Instant::millis(c.millis)), c.text);
    EXPECT_EQ(parse_time(c.text), Instant::millis(c.millis));
  }
}

TEST(TimeText, WritesTimesOutsideFourDigitYearsAsTheNearestInside) {
  EXPECT_EQ(to_text(Instant::never()), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(to_text(Instant::millis(last_millis + 1)), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(to_text(Instant::millis(first_millis - 1)), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_text(Instant::millis(std::numeric_limits<std::int64_t>::min())),
            "0000-01-01T00:00:00.000Z");
}

TEST(TimeText, ReadsBackEveryTimeItWrites) {
  SeededRandom random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto offset = random.below(static_cast<std::uint64_t>(last_millis - first_millis + 1));
    const Instant at = Instant::millis(first_millis + static_cast<std::int64_t>(offset));
    ASSERT_EQ(parse_time(to_text(at)), at) << to_text(at);
  }
}

TEST(TimeText, SortsAsTheTimesSort) {
  Instant at = Instant::millis(946'684'800'000);
  std::string last = to_text(at);
  for (int day = 0; day < 3000; ++day) {
    at = at + Duration::days(1);
    const std::string text = to_text(at);
    ASSERT_LT(last, text);
    last = text;
  }
}

TEST(ParseTime, ReadsEveryFormOfRfc3339) {
  struct Case {
    std::string_view text;
    std::string_view utc;
  };
  const Case cases[] = {
      {"2026-11-15T02:22:00Z", "2026-11-15T02:22:00.000Z"},
      {"2026-11-15t02:22:00z", "2026-11-15T02:22:00.000Z"},
      {"2026-11-15T02:22:00+00:00", "2026-11-15T02:22:00.000Z"},
      {"2026-11-15T02:22:00-00:00", "2026-11-15T02:22:00.000Z"},
      {"2026-11-15T02:22:00+05:30", "2026-11-14T20:52:00.000Z"},
      {"2026-11-15T02:22:00-08:00", "2026-11-15T10:22:00.000Z"},
      {"2026-11-15T02:22:00+23:59", "2026-11-14T02:23:00.000Z"},
      {"2026-11-15T02:22:00-23:59", "2026-11-16T02:21:00.000Z"},
      {"2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"},
      {"2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00.000Z"},
      {"2026-11-15T02:22:00.1Z", "2026-11-15T02:22:00.100Z"},
      {"2026-11-15T02:22:00.12Z", "2026-11-15T02:22:00.120Z"},
      {"2026-11-15T02:22:00.0009Z", "2026-11-15T02:22:00.000Z"},
      {"2026-11-15T02:22:00.1239Z", "2026-11-15T02:22:00.123Z"},
      {"2026-11-15T02:22:59.999999999Z", "2026-11-15T02:22:59.999Z"},
      {"2026-11-15T02:22:00.12345678901234567890123456789+01:00", "2026-11-15T01:22:00.123Z"},
      {"1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"},
      {"1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"},
      {"1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00.000Z"},
      {"2016-12-31T23:59:60.75Z", "2017-01-01T00:00:00.750Z"},
      {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"},
      {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"},
      {"0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000Z"},
      {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"},
      {"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
      {"9999-12-31T23:59:59.999+01:00", "9999-12-31T22:59:59.999Z"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto at = parse_time(c.text);
    EXPECT_TRUE(at.has_value());
    EXPECT_EQ(to_text(at.value_or(Instant())), c.utc);
  }
}

TEST(ParseTime, RefusesEverythingElse) {
  const std::string_view cases[] = {
      "",
      "now",
      "0",
      "1794709320123",
      "2026-11-15",
      "2026-11-15T02:22Z",
      "2026-11-15T02:22:00",
      "2026-11-15T02:22:00.123",
      "2026-11-15 02:22:00Z",
      "2026-11-15T02:22:00 Z",
      " 2026-11-15T02:22:00Z",
      "2026-11-15T02:22:00Z ",
      "2026-11-15T02:22:00Z\n",
      "2026-11-15T02:22:00ZZ",
      "2026-11-15T02:22:00.Z",
      "2026-11-15T02:22:00,5Z",
      "2026-11-15T02:22:00.-5Z",
      "2026-11-15T02:22:00.5.5Z",
      "2026-11-15T02:22:00+0100",
      "2026-11-15T02:22:00+01",
      "2026-11-15T02:22:00+1:00",
      "2026-11-15T02:22:00+24:00",
      "2026-11-15T02:22:00+01:60",
      "2026-11-15T02:22:00+01:00Z",
      "2026-11-15T02:22:00*01:00",
      "2026-11-15T24:00:00Z",
      "2026-11-15T02:60:00Z",
      "2026-11-15T02:22:61Z",
      "2026-11-15T02:22:60Z",
      "1990-12-31T23:59:60+01:00",
      "2026-00-15T02:22:00Z",
      "2026-13-15T02:22:00Z",
      "2026-11-00T02:22:00Z",
      "2026-11-31T02:22:00Z",
      "2026-01-32T02:22:00Z",
      "2026-02-29T02:22:00Z",
      "1900-02-29T02:22:00Z",
      "2100-02-29T02:22:00Z",
      "2024-02-30T02:22:00Z",
      "26-11-15T02:22:00Z",
      "02026-11-15T02:22:00Z",
      "12026-11-15T02:22:00Z",
      "-026-11-15T02:22:00Z",
      "+026-11-15T02:22:00Z",
      "2026/11/15T02:22:00Z",
      "2026-11-15T02.22.00Z",
      "2026-1-15T02:22:00Z",
      "2026-11-5T02:22:00Z",
      "2026-11-15T2:22:00Z",
      "20261115T022200Z",
      "2026-319T02:22:00Z",
      "0000-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      "9999-12-31T23:59:60Z",
  };
  for (const std::string_view text : cases) {
    EXPECT_FALSE(parse_time(text).has_value()) << text;
  }
}

TEST(ParseTime, RefusesEveryTruncationAndSurvivesEveryByte) {
  const std::string good = "2026-11-15T02:22:00.123+05:30";
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(parse_time(good.substr(0, size)).has_value()) << good.substr(0, size);
  }
  int accepted = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = good;
      text[i] = static_cast<char>(byte);
      if (parse_time(text)) ++accepted;
    }
  }
  // Only digits may vary, `t` may stand for `T` and `-` for the sign.
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 21 * 10 + 10);
}

TEST(DurationFromSeconds, RoundsToMillisecondsWithHalvesUp) {
  struct Case {
    double seconds;
    std::int64_t millis;
  };
  const Case cases[] = {
      {0, 0},
      {-0.0, 0},
      {0.0004, 0},
      {0.0005, 1},
      {0.0015, 2},
      {0.001, 1},
      {0.1, 100},
      {1.5, 1500},
      {2.5, 2500},
      {30, 30'000},
      {0.0625, 63},
      {0.1875, 188},
      {86'400, 86'400'000},
      {1e-300, 0},
      {1.9994, 1999},
      {1.9996, 2000},
      {1.0625, 1063},
      {4.9e-324, 0},
      {1e9, 1'000'000'000'000},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.seconds);
    EXPECT_EQ(duration_from_seconds(c.seconds), Duration::millis(c.millis));
  }
}

TEST(DurationFromSeconds, RefusesWhatIsNoLengthOfTime) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {-0.001, -1.0, -1e300, infinity, -infinity,
                               std::numeric_limits<double>::quiet_NaN(), 1e300, 3.2e11}) {
    EXPECT_FALSE(duration_from_seconds(seconds).has_value()) << seconds;
  }
}

TEST(DurationFromSeconds, GoesUpToTenThousandYears) {
  EXPECT_EQ(duration_from_seconds(duration_max.in_seconds()), duration_max);
  EXPECT_FALSE(duration_from_seconds(std::nextafter(duration_max.in_seconds(), 1e300)).has_value());
  EXPECT_LT(Instant::millis(last_millis) + duration_max, Instant::never());
}

}  // namespace
}  // namespace longshore
