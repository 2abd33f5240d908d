// Nodes: what a starting node recovers, and which leases it extends.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreNode : public StoreTest {
 protected:
  Swept start(const NodeId& node) { return as<Swept>(send(StartNode{.node = node, .name = "n"})); }
  Lease running_on(const NodeId& node) {
    enqueue();
    return claim_one({.node = node});
  }
  const NodeId one_{1, 1};
  const NodeId two_{2, 2};
};
INSTANTIATE_TEST_SUITE_P(, StoreNode, every_store(), store_name);

TEST_P(StoreNode, RequeuesWhatItsOwnWorkersHeld) {
  start(one_);
  const Lease mine = running_on(one_);
  EXPECT_EQ(start(one_).count, 1);
  expect_path(mine.job, "CREATED QUEUED RUNNING RETRY QUEUED");
  const Job after = job(mine.job);
  EXPECT_EQ(after.failures, 0);
  EXPECT_EQ(after.crashes, 0);
  EXPECT_EQ(after.retry_count, 0);
  expect_refused(complete(mine), Code::lease_lost);
}

TEST_P(StoreNode, LeavesOthersJobsAlone) {
  start(one_);
  start(two_);
  const Lease others = running_on(two_);
  const Lease remote = running();
  EXPECT_EQ(start(one_).count, 0);
  expect_status(complete(others), Status::completed);
  expect_status(complete(remote), Status::completed);
}

TEST_P(StoreNode, TakesNothingBackTheSecondTime) {
  start(one_);
  running_on(one_);
  start(one_);
  const auto before = dump();
  EXPECT_EQ(start(one_).count, 0);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreNode, GivesLeasesThatEndedWhileNoNodeRanOneMoreTerm) {
  start(one_);
  const Lease lease = running();
  advance(seconds(100));
  const Instant before = now();
  EXPECT_EQ(start(one_).count, 1);
  const Instant ends = *job(lease.job).lease_expires_at;
  EXPECT_GE(ends, before + seconds(30));
  EXPECT_LE(ends, now() + seconds(30));
  EXPECT_EQ(reap().count, 0);
  as<Beaten>(heartbeat(lease));
  expect_status(complete(lease), Status::completed);
}

TEST_P(StoreNode, GivesNoMoreTimeToALeaseThatEndedUnderANodesEyes) {
  start(one_);
  const Lease lease = running();
  advance(seconds(40));
  send(SeeNode{.node = one_, .name = "n"});
  advance(seconds(100));
  EXPECT_EQ(start(one_).count, 0);
  expect_refused(heartbeat(lease), Code::lease_lost);
  EXPECT_EQ(reap().count, 1);
}

TEST_P(StoreNode, GivesNoMoreTimeToALeaseThatEndedBeforeTheLastCommit) {
  start(one_);
  const Lease lease = running();
  advance(seconds(31));
  enqueue();  // a sign of life without SeeNode
  advance(seconds(100));
  EXPECT_EQ(start(one_).count, 0);
  expect_refused(heartbeat(lease), Code::lease_lost);
  EXPECT_EQ(reap().count, 1);
}

TEST_P(StoreNode, GivesNoMoreTimeThanTheDeadline) {
  start(one_);
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(60);
  const Lease lease = running(wanted);
  advance(seconds(50));
  start(one_);
  EXPECT_LE(*job(lease.job).lease_expires_at, lease.deadline_at);
}

TEST_P(StoreNode, IsListedWithItsTimes) {
  start(one_);
  const Instant began = catalog().nodes()->at(0).started_at;
  advance(seconds(10));
  send(SeeNode{.node = one_, .name = "n"});
  const auto nodes = catalog().nodes();
  ASSERT_EQ(nodes->size(), 1u);
  EXPECT_EQ(nodes->at(0).node, one_);
  EXPECT_EQ(nodes->at(0).name, "n");
  EXPECT_EQ(nodes->at(0).started_at, began);
  EXPECT_GE(nodes->at(0).seen_at, began + seconds(10));
}

TEST_P(StoreNode, TakesEverythingThatRunsUnderTheRuleEveryRunning) {
  Rules rules;
  rules.recover_on_start = Rules::RecoverOnStart::every_running;
  under(rules);
  start(one_);
  const Lease remote = running();
  const Lease waits = waiting();
  EXPECT_EQ(start(two_).count, 1);
  expect_state(remote.job, State::queued);
  expect_state(waits.job, State::waiting);
}

TEST_P(StoreNode, TakesNothingUnderTheRuleNothing) {
  Rules rules;
  rules.recover_on_start = Rules::RecoverOnStart::nothing;
  under(rules);
  start(one_);
  const Lease mine = running_on(one_);
  EXPECT_EQ(start(one_).count, 0);
  expect_state(mine.job, State::running);
}

TEST_P(StoreNode, CancelsWhatWasAskedToBeCanceled) {
  start(one_);
  const Lease mine = running_on(one_);
  cancel(mine.job);
  start(one_);
  expect_state(mine.job, State::canceled);
}

}  // namespace
}  // namespace longshore::conformance
