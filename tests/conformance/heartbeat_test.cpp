// Heartbeat: extending a lease, and learning of cancels.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreHeartbeat : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreHeartbeat, every_store(), store_name);

TEST_P(StoreHeartbeat, ExtendsByTheLeasesOwnLength) {
  enqueue();
  const Lease lease = claim_one({.lease = seconds(40)});
  advance(seconds(20));
  const auto beat = as<Beaten>(heartbeat(lease));
  EXPECT_GE(beat.lease_expires_at, lease.lease_expires_at + seconds(20));
  EXPECT_EQ(job(lease.job).lease_expires_at, beat.lease_expires_at);
  EXPECT_FALSE(beat.cancel_requested);
}

TEST_P(StoreHeartbeat, ExtendsByWhatTheWorkerAsks) {
  const Lease lease = running();
  const Instant before = now();
  const auto beat = as<Beaten>(heartbeat(lease, {.extend = seconds(300)}));
  EXPECT_GE(beat.lease_expires_at, before + seconds(300));
  EXPECT_LE(beat.lease_expires_at, now() + seconds(300));
}

TEST_P(StoreHeartbeat, NeverShortensALease) {
  const Lease lease = running();
  EXPECT_EQ(as<Beaten>(heartbeat(lease, {.extend = seconds(1)})).lease_expires_at,
            lease.lease_expires_at);
}

TEST_P(StoreHeartbeat, NeverExtendsBeyondTheDeadline) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(60);
  const Lease lease = running(wanted);
  EXPECT_EQ(as<Beaten>(heartbeat(lease, {.extend = seconds(3600)})).lease_expires_at,
            lease.deadline_at);
}

TEST_P(StoreHeartbeat, IsRefusedOnceTheLeaseHasEndedThoughNobodyReclaimedTheJob) {
  const Lease lease = running();
  advance(seconds(30));
  expect_refused(heartbeat(lease), Code::lease_lost);
  expect_state(lease.job, State::running);
}

TEST_P(StoreHeartbeat, IsRefusedToAWrongToken) {
  Lease lease = running();
  const Lease right = lease;
  lease.token.claim.low ^= 1;
  expect_refused(heartbeat(lease), Code::lease_lost);
  lease = right;
  lease.token.epoch += 1;
  expect_refused(heartbeat(lease), Code::lease_lost);
  as<Beaten>(heartbeat(right));
}

TEST_P(StoreHeartbeat, IsRefusedToAnEarlierAttempt) {
  const Lease first = running();
  release(first);
  const Lease second = claim_one();
  expect_refused(heartbeat(first), Code::lease_lost);
  as<Beaten>(heartbeat(second));
}

TEST_P(StoreHeartbeat, IsNoTransition) {
  const Lease lease = running();
  const Job before = job(lease.job);
  advance(seconds(1));
  heartbeat(lease, {.log = "hello\n"});
  const Job after = job(lease.job);
  EXPECT_EQ(after.history_count, before.history_count);
  EXPECT_EQ(after.version, before.version);
  EXPECT_EQ(after.epoch, before.epoch);
}

TEST_P(StoreHeartbeat, RaisesTheVersionWithProgressOrCheckpoint) {
  const Lease lease = running();
  const auto first = job(lease.job).version;
  heartbeat(lease, {.progress = 12.5});
  const auto second = job(lease.job).version;
  EXPECT_GT(second, first);
  EXPECT_EQ(job(lease.job).progress, 12.5);
  heartbeat(lease, {.checkpoint = R"({"row":7})"});
  EXPECT_GT(job(lease.job).version, second);
  EXPECT_EQ(record(lease.job).checkpoint, R"({"row":7})");
  EXPECT_EQ(job(lease.job).progress, 12.5);
}

TEST_P(StoreHeartbeat, ForgetsTheProgressOfAnEarlierAttempt) {
  const Lease first = running();
  heartbeat(first, {.progress = 80});
  release(first);
  claim_one();
  EXPECT_FALSE(job(first.job).progress);
}

TEST_P(StoreHeartbeat, GivesTheCheckpointToTheNextAttempt) {
  const Lease first = running();
  heartbeat(first, {.checkpoint = "[7]"});
  advance(seconds(31));
  reap();
  EXPECT_EQ(claim_one().checkpoint, "[7]");
}

TEST_P(StoreHeartbeat, ReturnsARequestedCancel) {
  const Lease lease = running();
  cancel(lease.job);
  EXPECT_TRUE(as<Beaten>(heartbeat(lease)).cancel_requested);
}

TEST_P(StoreHeartbeat, AnswersTheDeadlineWhileWaiting) {
  const Lease lease = waiting();
  const Instant deadline = *job(lease.job).deadline_at;
  EXPECT_EQ(as<Beaten>(heartbeat(lease, {.progress = 50})).lease_expires_at, deadline);
  EXPECT_EQ(job(lease.job).progress, 50);
  EXPECT_EQ(job(lease.job).deadline_at, deadline);
}

TEST_P(StoreHeartbeat, IsRefusedAfterTheJobEnded) {
  const Lease lease = running();
  complete(lease);
  expect_refused(heartbeat(lease), Code::lease_lost);
}

TEST_P(StoreHeartbeat, KeepsTheJobFromTheReaper) {
  const Lease lease = running();
  for (int i = 0; i < 5; ++i) {
    advance(seconds(20));
    as<Beaten>(heartbeat(lease));
    EXPECT_EQ(reap().count, 0);
  }
  expect_status(complete(lease), Status::completed);
}

TEST_P(StoreHeartbeat, RefusesProgressOutsideZeroToHundred) {
  const Lease lease = running();
  for (const double wrong : {-0.1, 100.1}) {
    expect_refused(heartbeat(lease, {.progress = wrong}), Code::invalid_field);
  }
  as<Beaten>(heartbeat(lease, {.progress = 0}));
  as<Beaten>(heartbeat(lease, {.progress = 100}));
}

TEST_P(StoreHeartbeat, RefusesAnExtensionOutsideASecondToADay) {
  const Lease lease = running();
  for (const Duration wrong : {Duration(), Duration::millis(-5), seconds(86'401)}) {
    expect_refused(heartbeat(lease, {.extend = wrong}), Code::invalid_field);
  }
}

}  // namespace
}  // namespace longshore::conformance
