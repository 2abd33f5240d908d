// Cancel: at once if the job is not running, else by asking its worker.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreCancel : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreCancel, every_store(), store_name);

TEST_P(StoreCancel, WithdrawsEveryWaitingKindAtOnce) {
  const JobId retry = retrying();
  const JobId waits = waiting().job;
  const JobId scheduled = enqueue({.delay = seconds(60)});
  const JobId queued = enqueue();
  for (const JobId& id : {scheduled, queued, retry, waits}) {
    SCOPED_TRACE(to_text(job(id).state));
    const Verdict verdict = cancel(id);
    expect_status(verdict, Status::canceled);
    EXPECT_FALSE(as<Settled>(verdict).asked);
    expect_state(id, State::canceled);
    expect_error(id, "CANCELED");
    EXPECT_TRUE(job(id).completed_at.has_value());
  }
  advance(days(1));
  tick();
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreCancel, AsksTheOwnerOfARunningJob) {
  const Lease lease = running();
  const Verdict verdict = cancel(lease.job);
  expect_status(verdict, Status::running);
  EXPECT_TRUE(as<Settled>(verdict).asked);
  expect_state(lease.job, State::running);
  EXPECT_TRUE(job(lease.job).cancel_requested);
}

TEST_P(StoreCancel, MayBeAskedTwice) {
  const Lease lease = running();
  cancel(lease.job);
  const auto before = dump();
  EXPECT_TRUE(as<Settled>(cancel(lease.job)).asked);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreCancel, TakesEffectWhenTheLeaseIsLost) {
  const Lease lease = running();
  cancel(lease.job);
  advance(seconds(31));
  reap();
  expect_path(lease.job, "CREATED QUEUED RUNNING CANCELED");
  expect_error(lease.job, "CANCELED");
}

TEST_P(StoreCancel, TakesEffectWhenTheAttemptTimesOut) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(10);
  const Lease lease = running(wanted);
  cancel(lease.job);
  advance(seconds(11));
  reap();
  expect_state(lease.job, State::canceled);
}

TEST_P(StoreCancel, ForcesARunningJob) {
  const Lease lease = running();
  expect_status(cancel(lease.job, true), Status::canceled);
  expect_path(lease.job, "CREATED QUEUED RUNNING CANCELED");
  expect_refused(complete(lease), Code::lease_lost);
  expect_refused(heartbeat(lease), Code::lease_lost);
  expect_refused(fail(lease), Code::lease_lost);
}

TEST_P(StoreCancel, ForcesAJobWhoseOwnerWasAlreadyAsked) {
  const Lease lease = running();
  cancel(lease.job);
  expect_status(cancel(lease.job, true), Status::canceled);
  EXPECT_FALSE(job(lease.job).cancel_requested);
}

TEST_P(StoreCancel, RevokesTheTokenOfAWaitingJob) {
  const Lease lease = waiting({.job_key = "k"});
  cancel(lease.job);
  expect_refused(complete(lease), Code::lease_lost);
  expect_refused(finish_by_key("k"), Code::not_found);
}

TEST_P(StoreCancel, AnswersACanceledJobAsCanceled) {
  const JobId id = canceled();
  const auto before = dump();
  expect_status(cancel(id), Status::canceled);
  expect_status(cancel(id, true), Status::canceled);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreCancel, IsRefusedForAJobThatEndedOtherwise) {
  const JobId success = succeeded();
  const JobId failed = dead();
  for (const JobId& id : {success, failed}) {
    for (const bool force : {false, true}) {
      expect_refused_without_effect(
          Cancel{.ns = "default", .job = id, .force = force, .actor = ops_}, Code::terminal);
    }
  }
}

TEST_P(StoreCancel, IsRefusedForAnUnknownJob) { expect_refused(cancel(new_id()), Code::not_found); }

TEST_P(StoreCancel, CountsNoFailure) {
  const Lease lease = running();
  cancel(lease.job);
  fail(lease);
  EXPECT_EQ(job(lease.job).failures, 0);
  EXPECT_TRUE(record(lease.job).errors.empty());
}

TEST_P(StoreCancel, FreesTheLimitOfAQueue) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 1}}});
  const Lease lease = running();
  enqueue();
  EXPECT_TRUE(claim().empty());
  cancel(lease.job, true);
  EXPECT_EQ(claim().size(), 1u);
}

}  // namespace
}  // namespace longshore::conformance
