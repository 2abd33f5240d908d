#include "store/redis/server_time.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

constexpr std::int64_t told = 1'800'000'000'000'000;
constexpr std::int64_t second = 1'000'000;

TEST(RedisServerTime, IsUnknownUntilItIsHeard) {
  ServerTime time;
  EXPECT_FALSE(time.now("a", 5));
  time.heard("a", told, 5);
  EXPECT_EQ(time.now("a", 5), Instant::millis(told / 1000));
  EXPECT_FALSE(time.now("b", 5));
}

TEST(RedisServerTime, GoesOnByWhatHasPassed) {
  ServerTime time;
  time.heard("a", told, 0);
  EXPECT_EQ(time.now("a", 20'100), Instant::millis(told / 1000 + 20));
}

TEST(RedisServerTime, IsNotAheadOfAServerWhoseClockIsALittleSlower) {
  ServerTime time;
  time.heard("a", told, 0);
  for (std::int64_t at = 0; at <= second; at += 10'000) {
    const std::int64_t slower = told + at - at / 2000;
    ASSERT_LE(time.now("a", at)->count(), slower / 1000) << at;
  }
}

TEST(RedisServerTime, BelievesTheAnswerThatWasQuickest) {
  ServerTime time;
  time.heard("a", told, 0);
  // Sent at the same pace, but 40 milliseconds on its way.
  time.heard("a", told + 10'000, 50'000);
  EXPECT_EQ(time.now("a", 50'000), Instant::millis(told / 1000 + 49));
}

TEST(RedisServerTime, IsNotCarriedForLong) {
  ServerTime time;
  time.heard("a", told, 0);
  EXPECT_TRUE(time.now("a", second));
  EXPECT_FALSE(time.now("a", second + 1));
  // Nor is what was heard so long ago weighed against what is heard now.
  time.heard("a", told, 2 * second);
  EXPECT_EQ(time.now("a", 2 * second), Instant::millis(told / 1000));
}

TEST(RedisServerTime, IsForgottenWhenItWasWrong) {
  ServerTime time;
  time.heard("a", told, 0);
  time.heard("b", told, 0);
  time.forget("a");
  EXPECT_FALSE(time.now("a", 1));
  EXPECT_TRUE(time.now("b", 1));
}

}  // namespace
}  // namespace longshore::redis
