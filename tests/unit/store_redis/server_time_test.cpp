#include "store/redis/server_time.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

constexpr std::int64_t told = 1'800'000'000'000'000;
constexpr std::int64_t second = 1'000'000;

TEST(RedisServerTime, IsUnknownUntilItIsHeard) {
  ServerTime time;
  EXPECT_FALSE(time.now("a", 5));
  time.heard("a", told, 5, 5);
  EXPECT_EQ(time.now("a", 5), Instant::millis(told / 1000));
  EXPECT_FALSE(time.now("b", 5));
}

TEST(RedisServerTime, GoesOnByWhatHasPassedSinceItWasAskedFor) {
  ServerTime time;
  time.heard("a", told, 0, 3000);
  EXPECT_EQ(time.now("a", 20'100), Instant::millis(told / 1000 + 20));
}

TEST(RedisServerTime, IsNotBehindAServerWhoseClockIsALittleQuicker) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  for (std::int64_t at = 0; at <= second; at += 10'000) {
    const std::int64_t quicker = told + at + at / 2000;
    ASSERT_GE(time.now("a", at)->count(), quicker / 1000) << at;
  }
}

TEST(RedisServerTime, BelievesTheQuestionThatArrivedSoonest) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  // 40 milliseconds on its way to a server that goes at the same pace.
  time.heard("a", told + 50'000, 10'000, 50'000);
  EXPECT_EQ(time.now("a", 50'000), Instant::millis(told / 1000 + 50));
}

TEST(RedisServerTime, FollowsAClockThatWasSetForward) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  time.heard("a", told + 31'000, 1000, 1000);
  EXPECT_EQ(time.now("a", 1000), Instant::millis(told / 1000 + 31));
}

TEST(RedisServerTime, FollowsAClockThatWasSetBack) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  time.heard("a", told - 29'000, 1000, 1000);
  EXPECT_EQ(time.now("a", 1000), Instant::millis(told / 1000 - 29));
}

TEST(RedisServerTime, IsNotCarriedForLong) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  EXPECT_TRUE(time.now("a", second));
  EXPECT_FALSE(time.now("a", second + 1));
  // Nor is what was heard so long ago weighed against what is heard now.
  time.heard("a", told + 2 * second, second, 2 * second);
  EXPECT_EQ(time.now("a", 2 * second), Instant::millis((told + 3 * second) / 1000));
}

TEST(RedisServerTime, IsForgottenWhenItWasWrong) {
  ServerTime time;
  time.heard("a", told, 0, 0);
  time.heard("b", told, 0, 0);
  time.forget("a");
  EXPECT_FALSE(time.now("a", 1));
  EXPECT_TRUE(time.now("b", 1));
}

}  // namespace
}  // namespace longshore::redis
