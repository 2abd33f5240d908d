#include "client/server/server_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace longshore {
namespace {

const Instant noon = Instant::millis(1'767'225'600'000);

TEST(HttpDate, IsParsedInItsStandardForm) {
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 2026 00:00:00 GMT"), noon);
  for (const char* text : {"", "Thu, 01 Jan 2026 00:00:00 UTC", "Thursday, 01-Jan-26 00:00:00 GMT",
                           "Thu, 32 Jan 2026 00:00:00 GMT", "Thu, 01 Foo 2026 00:00:00 GMT",
                           "Thu  01 Jan 2026 00:00:00 GMT"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

TEST(ServerClock, IsTheLocalClockUntilThatIsKnownToBeWrong) {
  ServerClock clock;
  EXPECT_EQ(clock.at(noon), noon);
  // The server's second began 300 ms ago: the two may well agree.
  clock.observe(noon, noon + Duration::millis(290), noon + Duration::millis(310));
  EXPECT_EQ(clock.at(noon), noon);
}

TEST(ServerClock, GetsMoreAccurateWithEveryResponse) {
  const Duration ahead = Duration::millis(7'350);
  ServerClock clock;
  Instant ours = noon;
  for (int i = 0; i < 200; ++i) {
    const Instant there = ours + ahead;
    const Instant date = Instant::millis(there.count() / 1000 * 1000);
    clock.observe(date, ours - Duration::millis(5), ours + Duration::millis(5));
    ours = ours + Duration::millis(137);
  }
  EXPECT_LE(std::abs((clock.at(ours) - ours - ahead).count()), 50);
}

TEST(ServerClock, ResetsWhenAClockWasSet) {
  ServerClock clock;
  clock.observe(noon, noon, noon + Duration::millis(10));
  clock.observe(noon + Duration::hours(1), noon, noon + Duration::millis(10));
  EXPECT_GE(clock.at(noon), noon + Duration::minutes(59));
}

}  // namespace
}  // namespace longshore
