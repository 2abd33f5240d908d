#include "store/sqlite/write/leases.h"

#include <gtest/gtest.h>

namespace longshore::sqlite {
namespace {

Job running(std::uint64_t id, std::int64_t ends, std::uint64_t claim = 1) {
  Job job;
  job.id = {.high = 0, .low = id};
  job.state = State::running;
  job.claim = {.high = 0, .low = claim};
  job.lease_expires_at = Instant::millis(ends);
  job.deadline_at = Instant::millis(1000);
  return job;
}

std::vector<std::uint64_t> lows(const std::vector<JobId>& ids) {
  std::vector<std::uint64_t> numbers;
  for (const JobId& id : ids) numbers.push_back(id.low);
  return numbers;
}

using Numbers = std::vector<std::uint64_t>;

TEST(Leases, EndInTheOrderOfTime) {
  const Rules rules;
  Leases leases(rules);
  leases.enter(running(1, 30));
  leases.enter(running(2, 10));
  leases.enter(running(3, 20));
  EXPECT_EQ(lows(leases.ended(Instant(), Instant::millis(20), 10)), (Numbers{2, 3}));
  EXPECT_EQ(lows(leases.ended(Instant(), Instant::millis(99), 1)), (Numbers{2}));
  EXPECT_EQ(leases.earliest(Instant()), Instant::millis(10));
  leases.leave({.high = 0, .low = 2});
  EXPECT_EQ(leases.earliest(Instant()), Instant::millis(20));
  EXPECT_EQ(lows(leases.all()), (Numbers{1, 3}));
}

TEST(Leases, ThatEndedBeforeTheSpanArePassedOver) {
  const Rules rules;
  Leases leases(rules);
  leases.enter(running(1, 10));
  leases.enter(running(2, 20));
  leases.enter(running(3, 30));
  EXPECT_EQ(lows(leases.ended(Instant::millis(15), Instant::millis(99), 1)), (Numbers{2}));
  EXPECT_EQ(leases.earliest(Instant::millis(21)), Instant::millis(30));
  EXPECT_EQ(leases.earliest(Instant::millis(31)), std::nullopt);
  EXPECT_EQ(lows(leases.ended(Instant(), Instant::millis(99), 9)), (Numbers{1, 2, 3}));
}

TEST(Leases, EndAtTheTimeToWhichTheyWereExtended) {
  const Rules rules;
  Leases leases(rules);
  leases.enter(running(1, 10));
  leases.leave({.high = 0, .low = 1});
  leases.enter(running(1, 30));
  EXPECT_EQ(leases.earliest(Instant()), Instant::millis(30));
  leases.enter(running(2, 20));
  leases.leave({.high = 0, .low = 2});
  leases.enter(running(2, 40));
  EXPECT_TRUE(leases.ended(Instant(), Instant::millis(25), 10).empty());
  EXPECT_EQ(lows(leases.ended(Instant(), Instant::millis(40), 10)), (Numbers{1, 2}));
}

TEST(Leases, OfAHandOffEndAtTheDeadline) {
  const Rules rules;
  Leases leases(rules);
  Job waiting = running(1, 30);
  waiting.state = State::waiting;
  waiting.lease_expires_at.reset();
  leases.enter(waiting);
  EXPECT_EQ(leases.earliest(Instant()), Instant::millis(1000));
}

TEST(Leases, AreFoundByTheirClaim) {
  const Rules rules;
  Leases leases(rules);
  leases.enter(running(1, 30, 7));
  leases.enter(running(2, 30, 8));
  leases.enter(running(3, 30, 7));
  leases.leave({.high = 0, .low = 1});
  EXPECT_EQ(lows(leases.of_claim({.high = 0, .low = 7})), (Numbers{3}));
  EXPECT_TRUE(leases.of_claim({.high = 0, .low = 9}).empty());
  leases.clear();
  EXPECT_TRUE(leases.all().empty());
}

}  // namespace
}  // namespace longshore::sqlite
