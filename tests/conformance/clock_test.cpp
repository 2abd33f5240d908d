// The clock of an open store is set: the store's time continues, and nothing is lost.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreClockSteps : public StoreTest {
 protected:
  void step(Duration by) { harness().step(by); }
};
INSTANTIATE_TEST_SUITE_P(, StoreClockSteps, every_store(), store_name);

TEST_P(StoreClockSteps, BackLeaveJobsComingDue) {
  const JobId id = enqueue({.delay = seconds(30)});
  tick();
  step(Duration::hours(-1));
  tick();
  advance(seconds(31));
  tick();
  expect_state(id, State::queued);
}

TEST_P(StoreClockSteps, BackLeaveLostLeasesToBeReclaimed) {
  const Lease lease = running();
  step(Duration::hours(-1));
  tick();
  advance(seconds(32));
  tick();
  EXPECT_EQ(job(lease.job).crashes, 1);
  expect_state(lease.job, State::queued);
}

TEST_P(StoreClockSteps, BackAreKnownAndGoOnAfterAReopening) {
  const JobId id = enqueue({.delay = seconds(30)});
  tick();
  step(Duration::days(-30));
  tick();
  EXPECT_GE(harness().backend().clock().steps_back, 1);
  EXPECT_NE(harness().backend().clock().alarm, "");
  ASSERT_TRUE(harness().reopen().ok());
  EXPECT_NE(harness().backend().clock().alarm, "");
  EXPECT_FALSE(catalog().audit()->warnings.empty());
  tick();
  advance(seconds(32));
  tick();
  expect_state(id, State::queued);
}

TEST_P(StoreClockSteps, ForwardPruneNothingForADay) {
  const JobId id = succeeded();
  step(days(40));
  EXPECT_EQ(prune().count, 0);
  EXPECT_TRUE(exists(id));
  EXPECT_GE(harness().backend().clock().steps_forward, 1);
  ASSERT_TRUE(harness().reopen().ok());
  EXPECT_EQ(prune().count, 0) << "a restart is no reason";
  for (int hour = 0; hour < 25; ++hour) {
    advance(Duration::hours(1));
    tick();
  }
  prune();
  EXPECT_FALSE(exists(id));
}

TEST_P(StoreClockSteps, ForwardAndBackPruneNothingEarly) {
  const JobId id = succeeded();
  step(days(40));
  tick();
  step(days(-40));
  for (int day = 0; day < 6; ++day) {
    advance(days(1));
    tick();
    prune();
  }
  EXPECT_TRUE(exists(id));
  advance(days(2));
  tick();
  prune();
  EXPECT_FALSE(exists(id));
}

TEST_P(StoreClockSteps, ForwardKeepIdempotencyKeysOfPrunedJobs) {
  const JobId id = succeeded({.idempotency_key = "once"});
  advance(days(8));
  prune();
  ASSERT_FALSE(exists(id));
  step(days(40));
  tick();
  prune();
  EXPECT_TRUE(catalog().find_idempotency_key("default", "once").ok());
}

// Where the clock belongs to one node, that node knows how much time has passed.
TEST_P(StoreClockSteps, ForwardEndNoLeaseOfASingleNode) {
  if (!harness().promised().injected_clock) {
    const Lease lease = running();
    step(days(40));
    tick();
    EXPECT_EQ(job(lease.job).crashes + job(lease.job).failures, 1) << "docs/clock.md says so";
    return;
  }
  const Lease lease = running();
  const Lease reply = waiting();
  advance(seconds(10));
  step(days(40));
  tick();
  expect_state(lease.job, State::running);
  expect_state(reply.job, State::waiting);
  EXPECT_EQ(job(lease.job).lease_expires_at, now() + seconds(20));
  advance(seconds(21));
  tick();
  EXPECT_EQ(job(lease.job).crashes, 1) << "and it ends when its time has passed";
}

}  // namespace
}  // namespace longshore::conformance
