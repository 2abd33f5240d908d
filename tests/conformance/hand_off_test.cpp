// Hand-off: the worker lets go, an outside reply will finish the job.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreHandOff : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreHandOff, every_store(), store_name);

TEST_P(StoreHandOff, EndsTheLeaseAndWaits) {
  const Lease lease = running();
  expect_status(hand_off(lease), Status::running);
  expect_path(lease.job, "CREATED QUEUED RUNNING WAITING");
  EXPECT_FALSE(job(lease.job).lease_expires_at);
}

TEST_P(StoreHandOff, WaitsForTheJobsOwnTimeout) {
  const Lease lease = running();
  advance(seconds(10));
  hand_off(lease);
  EXPECT_EQ(*job(lease.job).deadline_at, job(lease.job).updated_at + seconds(1800));
}

TEST_P(StoreHandOff, WaitsForAsLongAsAsked) {
  const Lease lease = running();
  hand_off(lease, seconds(77));
  EXPECT_EQ(*job(lease.job).deadline_at, job(lease.job).updated_at + seconds(77));
}

TEST_P(StoreHandOff, UsesUpNoLimit) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 1}},
                 .types = {{.ns = "default", .type = "work", .max_running = 1}}});
  hand_off(running());
  enqueue();
  EXPECT_EQ(claim().size(), 1u);
  enqueue();
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreHandOff, LetsTheTokenComplete) {
  const Lease lease = waiting();
  advance(seconds(1000));
  expect_status(complete(lease, "5"), Status::completed);
  EXPECT_EQ(record(lease.job).result, "5");
}

TEST_P(StoreHandOff, LetsTheTokenRelease) {
  const Lease lease = waiting();
  expect_status(release(lease), Status::pending);
  EXPECT_EQ(claim_one().job, lease.job);
}

TEST_P(StoreHandOff, IsACountedTimeoutWhenOverdue) {
  const Lease lease = running();
  hand_off(lease, seconds(60));
  advance(seconds(59));
  EXPECT_EQ(reap().count, 0);
  advance(seconds(2));
  EXPECT_EQ(reap().count, 1);
  expect_path(lease.job, "CREATED QUEUED RUNNING WAITING RETRY QUEUED");
  expect_error(lease.job, "TIMEOUT");
  EXPECT_EQ(job(lease.job).failures, 1);
  EXPECT_EQ(job(lease.job).crashes, 0);
}

TEST_P(StoreHandOff, AcceptsNothingAfterTheDeadlineThoughNobodyReapedTheJob) {
  const Lease lease = running();
  hand_off(lease, seconds(60));
  advance(seconds(61));
  expect_refused(complete(lease), Code::lease_lost);
  expect_refused(heartbeat(lease), Code::lease_lost);
  expect_state(lease.job, State::waiting);
}

TEST_P(StoreHandOff, IsUntouchedByTheEndOfTheOldLease) {
  const Lease lease = waiting();
  advance(seconds(100));
  EXPECT_EQ(reap().count, 0);
  expect_state(lease.job, State::waiting);
}

TEST_P(StoreHandOff, AnswersAsBeforeWhenRepeated) {
  const Lease lease = waiting();
  const auto before = dump();
  expect_status(hand_off(lease), Status::running);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreHandOff, IsNoOutcomeSoTheTokenMayStillSettle) {
  const Lease lease = waiting();
  expect_status(fail(lease, {.retryable = false}), Status::failed);
  expect_refused(complete(lease), Code::already_settled);
}

TEST_P(StoreHandOff, EndsCanceledWhenACancelWasRequested) {
  const Lease lease = running();
  cancel(lease.job);
  expect_status(hand_off(lease), Status::canceled);
  expect_path(lease.job, "CREATED QUEUED RUNNING CANCELED");
}

TEST_P(StoreHandOff, IsRefusedToAStaleToken) {
  const Lease first = running();
  release(first);
  claim_one();
  expect_refused(hand_off(first), Code::lease_lost);
}

TEST_P(StoreHandOff, IsRefusedOnceTheLeaseHasEnded) {
  const Lease lease = running();
  advance(seconds(30));
  expect_refused(hand_off(lease), Code::lease_lost);
}

TEST_P(StoreHandOff, RefusesATimeoutOfNothing) {
  const Lease lease = running();
  expect_refused(hand_off(lease, Duration()), Code::invalid_field);
  expect_refused(hand_off(lease, Duration::millis(-1)), Code::invalid_field);
}

}  // namespace
}  // namespace longshore::conformance
