#include "api/admission/lockout.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

class LockoutTest : public ::testing::Test {
 protected:
  void fail(const std::string& peer, int times, Instant at) {
    for (int i = 0; i < times; ++i) lockout.failed(peer, at);
  }

  Lockout lockout{{.failures = 3,
                   .span = Duration::seconds(10),
                   .locked = Duration::seconds(30),
                   .peers_remembered = 4}};
  const Instant now = Instant::millis(1'000'000);
};

TEST_F(LockoutTest, LocksAfterTooManyFailuresForAWhile) {
  fail("a", 2, now);
  EXPECT_FALSE(lockout.locked_for("a", now));
  fail("a", 1, now);
  EXPECT_EQ(lockout.locked_for("a", now), Duration::seconds(30));
  EXPECT_FALSE(lockout.locked_for("b", now)) << "another address is not locked";
  EXPECT_EQ(lockout.locked_for("a", now + Duration::seconds(29)), Duration::seconds(1));
  EXPECT_FALSE(lockout.locked_for("a", now + Duration::seconds(30)));
  fail("a", 2, now + Duration::seconds(31));
  EXPECT_FALSE(lockout.locked_for("a", now + Duration::seconds(31))) << "a new span";
}

TEST_F(LockoutTest, ForgetsOldFailures) {
  for (int i = 0; i < 10; ++i) {
    fail("a", 2, now + Duration::seconds(10 * i));
    EXPECT_FALSE(lockout.locked_for("a", now + Duration::seconds(10 * i)));
  }
}

TEST_F(LockoutTest, KeepsTheWorstOffendersWhenFull) {
  fail("bad", 3, now);
  for (int i = 0; i < 1000; ++i) fail("peer" + std::to_string(i), 1, now);
  EXPECT_EQ(lockout.remembered(), 4U);
  EXPECT_TRUE(lockout.locked_for("bad", now));
}

TEST_F(LockoutTest, EvictsExpiredRecordsFirst) {
  for (const char* peer : {"a", "b", "c", "d"}) fail(peer, 2, now);
  fail("e", 1, now + Duration::seconds(10));
  EXPECT_EQ(lockout.remembered(), 1U);
}

}  // namespace
}  // namespace longshore
