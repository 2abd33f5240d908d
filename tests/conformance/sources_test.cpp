// The timing requirements of each published design, on a store with its profile and unchanged
// rules. Uses the harness's clock for long times; tests/profiles tests short ones with the real
// program.
#include "conformance/fixture.h"
#include "core/policy/profiles.h"

namespace longshore::conformance {
namespace {

class StoreSources : public StoreTest {
 protected:
  JobId accepted_under(std::string_view profile, NewJob job = {}) {
    reopen_under(profile);
    const JobId id = enqueue(std::move(job));
    send(Accept{.ns = "default", .jobs = {id}});
    return id;
  }
  // A worker holds the job for this long and sends heartbeats in time.
  void beat_for(const Lease& lease, Duration span, Duration every = seconds(3)) {
    for (Duration passed; passed + every < span; passed = passed + every) {
      advance(every);
      as<Beaten>(heartbeat(lease));
    }
  }
  void expect_counts(const JobId& id, int failures, int crashes) {
    EXPECT_EQ(job(id).failures, failures) << causes(id);
    EXPECT_EQ(job(id).crashes, crashes) << causes(id);
  }
  Swept reap_deadlines() { return as<Swept>(send(Reap{.lost_leases = false})); }
};
INSTANTIATE_TEST_SUITE_P(, StoreSources, every_store(), store_name);

// ---- all of them

TEST_P(StoreSources, EveryProfileTimesOutAtTheDeadlineThoughItsWorkerSendsHeartbeats) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    const JobId id = accepted_under(name);
    const Lease lease = claim_one();
    const Duration third = Duration::millis((lease.lease_expires_at - now()).count() / 3);
    beat_for(lease, lease.deadline_at - now() - seconds(3), third);
    advance(lease.deadline_at - now() - seconds(2));
    as<Beaten>(heartbeat(lease));
    EXPECT_EQ(reap_deadlines().count, 0);
    expect_state(id, State::running);
    advance(lease.deadline_at - now() + Duration::millis(1));
    EXPECT_EQ(reap_deadlines().count, 1);
    expect_error(id, "TIMEOUT");
    expect_counts(id, 1, 0);
  }
}

// ---- basic

TEST_P(StoreSources, BasicFailsAJobAfterHalfAMinuteAndQueuesItAtOnce) {
  const JobId id = accepted_under("basic");
  for (int attempt = 1; attempt <= 4; ++attempt) {
    const Instant began = now();
    const Lease lease = claim_one();
    beat_for(lease, seconds(30));
    expect_state(id, State::running);
    advance(began + seconds(30) - now() + Duration::millis(1));
    EXPECT_EQ(reap().count, 1);
    expect_error(id, "TIMEOUT");
    expect_counts(id, attempt, 0);
    expect_state(id, attempt < 4 ? State::queued : State::dead);
  }
}

TEST_P(StoreSources, BasicCountsNoWorkerThatFellSilentHoweverCloseToTheDeadline) {
  for (int heard = 0; heard <= 23; ++heard) {
    SCOPED_TRACE(heard);
    const JobId id = accepted_under("basic");
    const Lease lease = claim_one();
    beat_for(lease, seconds(heard));
    advance(seconds(31));
    EXPECT_EQ(reap().count, 1);
    expect_counts(id, 0, 1);
    expect_state(id, State::queued);
  }
}

TEST_P(StoreSources, BasicCountsNoLostWorkerHoweverManyThereAre) {
  const JobId id = accepted_under("basic");
  for (int lost = 1; lost <= 12; ++lost) {
    claim_one();
    advance(seconds(11));
    EXPECT_EQ(reap().count, 1);
    expect_counts(id, 0, lost);
    expect_state(id, State::queued);
  }
}

TEST_P(StoreSources, BasicGivesAJobThatIsStuckForAMinuteToAClaimForStuckJobs) {
  const JobId id = accepted_under("basic");
  advance(seconds(59));
  EXPECT_TRUE(claim({.queued_for = rules().stuck_after}).empty());
  advance(seconds(2));
  EXPECT_EQ(claim_one({.queued_for = rules().stuck_after}).job, id);
}

// ---- endpoints

TEST_P(StoreSources, EndpointsFailsAJobAfterHalfAnHourThoughItsWorkerSendsHeartbeats) {
  const JobId id = accepted_under("endpoints");
  for (int attempt = 1; attempt <= 4; ++attempt) {
    const Instant began = now();
    const Lease lease = claim_one();
    beat_for(lease, seconds(1800), seconds(100));
    advance(began + seconds(1800) - now() + Duration::millis(1));
    EXPECT_EQ(reap_deadlines().count, 1);
    expect_error(id, "TIMEOUT");
    expect_counts(id, attempt, 0);
    if (attempt == 4) break;
    expect_state(id, State::retry);
    EXPECT_EQ(job(id).run_at - job(id).updated_at, seconds(1 << attempt));
    advance(seconds(1 << attempt));
    due();
  }
  expect_state(id, State::dead);
}

TEST_P(StoreSources, EndpointsCountsAWorkerThatWasSilentForFiveMinutes) {
  const JobId id = accepted_under("endpoints");
  const Lease lost = claim_one({.worker = "gone"});
  advance(seconds(299));
  EXPECT_EQ(reap().count, 0);
  advance(seconds(2));
  EXPECT_EQ(reap_deadlines().count, 0) << "lost leases are looked for every five minutes alone";
  EXPECT_EQ(reap().count, 1);
  expect_error(id, "LEASE_LOST");
  expect_counts(id, 1, 1);
  expect_state(id, State::retry);
  advance(seconds(2));
  due();
  EXPECT_EQ(claim_one({.worker = "another"}).job, id);
  expect_refused(complete(lost), Code::lease_lost);
}

TEST_P(StoreSources, EndpointsRefusesAWorkerOnceItsHalfHourIsOver) {
  const JobId id = accepted_under("endpoints");
  const Lease lease = claim_one();
  beat_for(lease, seconds(1800), seconds(100));
  as<Beaten>(heartbeat(lease));
  advance(lease.deadline_at - now() + Duration::millis(1));
  for (const bool judged : {false, true}) {
    SCOPED_TRACE(judged);
    if (judged) reap_deadlines();
    expect_refused(heartbeat(lease), Code::lease_lost);
    expect_refused(complete(lease), Code::lease_lost);
  }
  expect_error(id, "TIMEOUT");
}

TEST_P(StoreSources, EndpointsLeavesASilentWorkerItsJobWhereRecoveryIsOff) {
  const JobId id = accepted_under("endpoints");
  const Lease lost = claim_one({.worker = "gone"});
  for (int look = 0; look < 5; ++look) {
    advance(seconds(301));
    EXPECT_EQ(reap_deadlines().count, 0) << "what a node without recovery asks for";
    expect_state(id, State::running);
  }
  expect_refused(complete(lost), Code::lease_lost);
  expect_counts(id, 0, 0);
  EXPECT_EQ(reap().count, 1) << "another node recovers it";
  expect_error(id, "LEASE_LOST");
  expect_counts(id, 1, 1);
}

TEST_P(StoreSources, EndpointsFailsAJobWhoseWorkersWereLostFourTimes) {
  const JobId id = accepted_under("endpoints");
  for (int lost = 1; lost <= 4; ++lost) {
    claim_one();
    advance(seconds(301));
    reap();
    advance(seconds(16));
    due();
  }
  expect_state(id, State::dead);
  expect_counts(id, 4, 4);
}

// ---- scheduler

TEST_P(StoreSources, SchedulerGivesAJobToAnotherWorkerAfterHalfAMinuteOfSilence) {
  const JobId id = accepted_under("scheduler");
  claim_one({.worker = "gone"});
  advance(seconds(29));
  EXPECT_EQ(reap().count, 0);
  EXPECT_TRUE(claim().empty());
  advance(seconds(2));
  EXPECT_EQ(reap().count, 1);
  EXPECT_EQ(claim_one({.worker = "another"}).job, id);
  EXPECT_EQ(job(id).attempt, 2);
}

// ---- external

TEST_P(StoreSources, ExternalEndsAJobWithATimeoutAfterADay) {
  const JobId id = accepted_under("external");
  claim_one();
  advance(seconds(86'399));
  EXPECT_EQ(reap().count, 0);
  expect_state(id, State::running);
  advance(seconds(2));
  EXPECT_EQ(reap().count, 1);
  expect_error(id, "TIMEOUT");
  expect_state(id, State::dead);
}

TEST_P(StoreSources, ExternalTriesAgainAfterADayWhereTheTypeSaysSo) {
  reopen_under("external");
  NewJob wanted = with_defaults({});
  wanted.policy.max_retries = 2;
  const JobId id = enqueue(wanted);
  claim_one();
  advance(seconds(86'401));
  EXPECT_EQ(reap().count, 1);
  expect_error(id, "TIMEOUT");
  expect_state(id, State::retry);
  advance(seconds(3));
  due();
  EXPECT_EQ(claim_one().attempt, 2);
}

TEST_P(StoreSources, ExternalRunsAJobTwiceAndTakesOneOutcome) {
  reopen_under("external");
  NewJob wanted = with_defaults({});
  wanted.policy.max_retries = 2;
  const JobId id = enqueue(wanted);
  const Lease first = claim_one();
  advance(seconds(86'401));
  reap();
  advance(seconds(3));
  due();
  const Lease second = claim_one();
  EXPECT_EQ(second.job, id);
  expect_refused(complete(first, "1"), Code::lease_lost);
  expect_status(complete(second, "2"), Status::completed);
  EXPECT_EQ(record(id).result, "2");
  EXPECT_EQ(job(id).attempt, 2);
}

// ---- orchestrator

TEST_P(StoreSources, OrchestratorKeepsAJobThatACrashLeftCreatedAndAcceptsItLater) {
  reopen_under("orchestrator");
  const JobId id = enqueue({.idempotency_key = "once"});
  expect_state(id, State::created);
  EXPECT_TRUE(claim().empty());
  ASSERT_TRUE(harness().reopen().ok());
  if (!store().capabilities().survives_reopen) return;
  expect_state(id, State::created);
  EXPECT_EQ(enqueue({.idempotency_key = "once"}), id);
  advance(seconds(4));
  sweep();
  expect_state(id, State::created);
  advance(seconds(2));
  sweep();
  expect_path(id, "CREATED QUEUED");
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreSources, OrchestratorFreesAJobWhenItsLeaseEnds) {
  const JobId id = accepted_under("orchestrator");
  const Lease lease = claim_one();
  EXPECT_EQ(lease.lease_expires_at, now() + seconds(30));
  advance(seconds(30));
  expect_refused(complete(lease), Code::lease_lost);
  EXPECT_EQ(reap().count, 1);
  expect_path(id, "CREATED QUEUED RUNNING RETRY QUEUED");
  EXPECT_EQ(claim_one().job, id);
}

}  // namespace
}  // namespace longshore::conformance
