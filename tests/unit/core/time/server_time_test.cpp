#include "core/time/server_time.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

constexpr std::int64_t told = 1'800'000'000'000'000;
constexpr std::int64_t second = 1'000'000;

TEST(ServerTimes, IsUnknownBeforeTheFirstAnswer) {
  ServerTime time;
  EXPECT_FALSE(time.now("a", 5));
  time.heard("a", told, 5, 5);
  EXPECT_EQ(time.now("a", 5), told);
  EXPECT_FALSE(time.now("b", 5));
}

TEST(ServerTimes, GoesOnByWhatHasPassedSinceItWasAskedFor) {
  ServerTime time;
  time.heard("a", told, 0, 3000);
  EXPECT_EQ(time.now("a", 20'100), told + 20'117);
}

TEST(ServerTimes, IsNotBehindAServerWhoseClockIsALittleQuicker) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  for (std::int64_t at = 0; at <= second; at += 10'000) {
    const std::int64_t quicker = told + at + at / 2000;
    ASSERT_GE(time.now("a", at), quicker) << at;
  }
}

TEST(ServerTimes, PrefersTheFastestAnswer) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  // 40 milliseconds on its way to a server that goes at the same pace.
  time.heard("a", told + 50'050, 10'000, 50'000);
  EXPECT_EQ(time.now("a", 50'000), told + 50'050);
}

TEST(ServerTimes, FollowsAClockThatWasSetForward) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  time.heard("a", told + 31'000, 1000, 1000);
  EXPECT_EQ(time.now("a", 1000), told + 31'000);
}

TEST(ServerTimes, FollowsAClockThatWasSetBack) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  time.heard("a", told - 29'000, 1000, 1000);
  EXPECT_EQ(time.now("a", 1000), told - 29'000);
}

TEST(ServerTimes, IsNotExtrapolatedForLong) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  EXPECT_TRUE(time.now("a", second));
  EXPECT_FALSE(time.now("a", second + 1));
  // An old answer does not affect a new one.
  time.heard("a", told + 2 * second, second, 2 * second);
  EXPECT_EQ(time.now("a", 2 * second), told + 3 * second);
}

TEST(ServerTimes, IsForgottenWhenItWasWrong) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  time.heard("b", told, 0, 0);
  time.forget("a");
  EXPECT_FALSE(time.now("a", 1));
  EXPECT_TRUE(time.now("b", 1));
}

}  // namespace
}  // namespace longshore
