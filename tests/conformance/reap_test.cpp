// Reap: expired leases and hand-offs.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreReap : public StoreTest {
 protected:
  void lose(const JobId& id) {
    EXPECT_EQ(claim_one().job, id);
    advance(seconds(31));
    EXPECT_EQ(reap().count, 1);
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreReap, every_store(), store_name);

TEST_P(StoreReap, RequeuesALostJobAtOnceUncounted) {
  const Lease lease = running();
  advance(seconds(31));
  EXPECT_EQ(reap().count, 1);
  expect_path(lease.job, "CREATED QUEUED RUNNING RETRY QUEUED");
  EXPECT_EQ(causes(lease.job), "enqueue accept claim leaseLost due");
  const Job after = job(lease.job);
  EXPECT_EQ(after.crashes, 1);
  EXPECT_EQ(after.failures, 0);
  EXPECT_EQ(after.retry_count, 0);
  EXPECT_TRUE(record(lease.job).errors.empty());
}

TEST_P(StoreReap, LeavesAHeldLeaseAlone) {
  const Lease lease = running();
  advance(seconds(29));
  const auto before = dump();
  EXPECT_EQ(reap().count, 0);
  EXPECT_TRUE(dump() == before);
  expect_status(complete(lease), Status::completed);
}

TEST_P(StoreReap, CallsALeaseThatEndsAtTheDeadlineATimeout) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(20);
  const Lease lease = running(wanted);
  advance(seconds(21));
  EXPECT_EQ(reap().count, 1);
  EXPECT_EQ(causes(lease.job), "enqueue accept claim timeout due");
  expect_error(lease.job, "TIMEOUT");
  EXPECT_EQ(job(lease.job).failures, 1);
  EXPECT_EQ(job(lease.job).retry_count, 1);
  EXPECT_EQ(job(lease.job).crashes, 0);
  EXPECT_EQ(record(lease.job).errors.size(), 1u);
}

TEST_P(StoreReap, CallsAnEarlierEndALostLeaseHoweverLateItLooks) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(60);
  const Lease lease = running(wanted);
  advance(days(1));
  reap();
  EXPECT_EQ(job(lease.job).crashes, 1);
  EXPECT_EQ(job(lease.job).failures, 0);
}

TEST_P(StoreReap, CallsADeadlineThatASilentOwnerReachesALostLease) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(40);
  const Lease lease = running(wanted);
  advance(seconds(15));
  EXPECT_EQ(as<Beaten>(heartbeat(lease)).lease_expires_at, lease.deadline_at);
  advance(seconds(26));
  EXPECT_EQ(reap().count, 1);
  EXPECT_EQ(job(lease.job).crashes, 1) << "25 s of silence are more than two thirds of 30 s";
  EXPECT_EQ(job(lease.job).failures, 0);
}

TEST_P(StoreReap, CallsADeadlineATimeoutWhileItsOwnerSendsHeartbeats) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(40);
  const Lease lease = running(wanted);
  advance(seconds(20));
  as<Beaten>(heartbeat(lease));
  advance(seconds(21));
  EXPECT_EQ(reap().count, 1);
  expect_error(lease.job, "TIMEOUT");
  EXPECT_EQ(job(lease.job).crashes, 0) << "20 s of silence are two thirds of 30 s, not more";
}

TEST_P(StoreReap, MeasuresSilenceByTheSecondsThatTheOwnerLastAskedFor) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(400);
  const Lease lease = running(wanted);
  advance(seconds(20));
  as<Beaten>(heartbeat(lease, {.extend = seconds(800)}));
  advance(seconds(381));
  EXPECT_EQ(reap().count, 1);
  expect_error(lease.job, "TIMEOUT");
}

TEST_P(StoreReap, OfDeadlinesAloneLeavesLostLeasesToALaterOne) {
  NewJob brief = with_defaults({});
  brief.policy.timeout = seconds(20);
  const Lease lost = running();
  const Lease overdue = running(brief);
  advance(seconds(31));
  const Swept swept = as<Swept>(send(Reap{.lost_leases = false}));
  EXPECT_EQ(swept.count, 1);
  EXPECT_EQ(swept.seen_until, now());
  EXPECT_FALSE(swept.next) << "what is left alone asks for no earlier look";
  expect_error(overdue.job, "TIMEOUT");
  expect_state(lost.job, State::running);
  EXPECT_EQ(reap().count, 1);
  expect_state(lost.job, State::queued);
}

TEST_P(StoreReap, OfDeadlinesAloneIsNotBlockedByManyLostLeases) {
  for (int i = 0; i < 5; ++i) running();
  advance(seconds(20));
  NewJob brief = with_defaults({});
  brief.policy.timeout = seconds(12);
  const Lease overdue = running(brief);
  advance(seconds(13));
  EXPECT_EQ(as<Swept>(send(Reap{.limit = 2, .lost_leases = false})).count, 1);
  expect_error(overdue.job, "TIMEOUT");
}

TEST_P(StoreReap, PassesOverLeasesThatEndedBeforeTheTimeItNames) {
  const Lease lost = running();
  advance(seconds(31));
  EXPECT_EQ(as<Swept>(send(Reap{.ended_from = now()})).count, 0);
  expect_state(lost.job, State::running);
  EXPECT_EQ(as<Swept>(send(Reap{.ended_from = lost.lease_expires_at})).count, 1);
  expect_state(lost.job, State::queued);
}

TEST_P(StoreReap, TimesOutAJobWhoseWorkerKeepsBeating) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(60);
  const Lease lease = running(wanted);
  for (int i = 0; i < 2; ++i) {
    advance(seconds(25));
    as<Beaten>(heartbeat(lease));
  }
  advance(seconds(11));
  expect_refused(heartbeat(lease), Code::lease_lost);
  reap();
  expect_error(lease.job, "TIMEOUT");
}

TEST_P(StoreReap, KillsAJobWhoseTimeoutsUsedUpItsRetries) {
  NewJob wanted = with_defaults({});
  wanted.policy = {.max_retries = 1, .timeout = seconds(5)};
  const JobId id = enqueue(wanted);
  for (int i = 0; i < 2; ++i) {
    claim_one();
    advance(seconds(6));
    reap();
  }
  expect_state(id, State::dead);
  expect_error(id, "TIMEOUT");
  EXPECT_EQ(record(id).history.back().cause, Cause::limit_exceeded);
}

TEST_P(StoreReap, PoisonsAJobAfterItsSixthCrash) {
  const JobId id = enqueue();
  for (int i = 0; i < 5; ++i) lose(id);
  expect_state(id, State::queued);
  lose(id);
  expect_state(id, State::dead);
  expect_error(id, "POISON");
  EXPECT_EQ(job(id).crashes, 6);
  EXPECT_EQ(job(id).failures, 0);
}

TEST_P(StoreReap, CountsCrashesNotAgainstRetries) {
  NewJob wanted = with_defaults({});
  wanted.policy.max_retries = 0;
  const JobId id = enqueue(wanted);
  for (int i = 0; i < 3; ++i) lose(id);
  expect_status(complete(claim_one()), Status::completed);
  EXPECT_EQ(job(id).crashes, 3);
}

TEST_P(StoreReap, ReturnsTheNextDueTime) {
  EXPECT_FALSE(reap().next);
  const Lease lease = running();
  EXPECT_EQ(reap().next, lease.lease_expires_at);
  hand_off(lease);
  EXPECT_EQ(reap().next, *job(lease.job).deadline_at);
}

TEST_P(StoreReap, TakesTheOldestFirstAndNoMoreThanTheLimit) {
  enqueue();
  enqueue();
  const Lease late = claim_one({.lease = seconds(20)});
  const Lease early = claim_one({.lease = seconds(10)});
  advance(seconds(25));
  const Swept first = reap(1);
  EXPECT_EQ(first.count, 1);
  EXPECT_TRUE(first.more);
  expect_state(early.job, State::queued);
  expect_state(late.job, State::running);
  EXPECT_EQ(reap(1).count, 1);
}

TEST_P(StoreReap, LeavesACompletedJobAlone) {
  const JobId id = succeeded();
  advance(days(1));
  EXPECT_EQ(reap().count, 0);
  expect_state(id, State::success);
}

TEST_P(StoreReap, CountsALostLeaseAsAFailureWhenTheRulesSaySo) {
  Rules rules;
  rules.on_lease_lost = Rules::OnLeaseLost::count_failure;
  under(rules);
  NewJob wanted = with_defaults({});
  wanted.policy.max_retries = 1;
  const JobId id = enqueue(wanted);
  claim_one();
  advance(seconds(31));
  reap();
  expect_state(id, State::retry);
  EXPECT_EQ(job(id).failures, 1);
  EXPECT_EQ(job(id).crashes, 1);
  expect_error(id, "LEASE_LOST");
  advance(seconds(10));
  due();
  claim_one();
  advance(seconds(31));
  reap();
  expect_state(id, State::dead);
}

TEST_P(StoreReap, WaitsForTheTimeoutWhenTheRulesSaySo) {
  Rules rules;
  rules.on_lease_lost = Rules::OnLeaseLost::wait_timeout;
  under(rules);
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(100);
  const Lease lease = running(wanted);
  advance(seconds(31));
  EXPECT_EQ(reap().count, 0);
  expect_state(lease.job, State::running);
  expect_refused(complete(lease), Code::lease_lost);
  advance(seconds(70));
  EXPECT_EQ(reap().count, 1);
  expect_error(lease.job, "TIMEOUT");
  EXPECT_EQ(job(lease.job).failures, 1);
}

TEST_P(StoreReap, BacksOffAfterATimeoutWhenTheRulesSaySo) {
  Rules rules;
  rules.delay_on_timeout = Rules::DelayOnTimeout::backoff;
  under(rules);
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(5);
  wanted.policy.backoff.jitter = 0;
  const Lease lease = running(wanted);
  advance(seconds(6));
  reap();
  expect_state(lease.job, State::retry);
  EXPECT_EQ(job(lease.job).run_at, job(lease.job).updated_at + seconds(2));
}

}  // namespace
}  // namespace longshore::conformance
