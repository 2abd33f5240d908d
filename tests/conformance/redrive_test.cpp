// Redrive: a new, linked job for one that died; under `reopen` the same job again.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreRedrive : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreRedrive, every_store(), store_name);

TEST_P(StoreRedrive, MakesALinkedSuccessorOfADeadJob) {
  const JobId old = dead();
  const Verdict verdict = redrive(old);
  expect_status(verdict, Status::pending);
  const JobId next = as<Settled>(verdict).job;
  EXPECT_NE(next, old);
  EXPECT_EQ(job(old).successor_id, next);
  EXPECT_EQ(job(next).redrive_of, old);
  expect_state(old, State::dead);
  EXPECT_EQ(claim_one().job, next);
}

TEST_P(StoreRedrive, RedrivesACanceledJob) {
  const JobId old = canceled();
  expect_status(redrive(old), Status::pending);
  EXPECT_TRUE(job(old).successor_id.has_value());
}

TEST_P(StoreRedrive, ChangesNothingOfTheOldJobButItsSuccessorAndVersion) {
  const JobId old = dead();
  const JobRecord before = record(old);
  advance(seconds(5));
  redrive(old);
  JobRecord after = record(old);
  EXPECT_GT(after.job.version, before.job.version);
  after.job.version = before.job.version;
  after.job.successor_id.reset();
  EXPECT_TRUE(after == before);
}

TEST_P(StoreRedrive, CopiesAllButKeysTimesCheckpointAndCounters) {
  NewJob wanted = with_defaults(
      {.type = "mail", .queue = "post", .priority = 2, .job_key = "k", .idempotency_key = "once"});
  wanted.body = {.payload = "[1]", .tags = {"t"}, .metadata = R"({"a":"b"})", .request = "{}"};
  wanted.policy.max_retries = 8;
  wanted.callback = Callback{.url = "https://example.org/"};
  const Lease lease = running(wanted);
  heartbeat(lease, {.checkpoint = "[9]"});
  fail(lease, {.retryable = false});
  const JobId next = as<Settled>(redrive(wanted.id)).job;
  const JobRecord copy = record(next);
  EXPECT_EQ(copy.body, wanted.body);
  EXPECT_EQ(copy.job.type, "mail");
  EXPECT_EQ(copy.job.queue, "post");
  EXPECT_EQ(copy.job.priority, 2);
  EXPECT_EQ(copy.job.job_key, "k");
  EXPECT_EQ(copy.job.policy, wanted.policy);
  EXPECT_EQ(copy.job.callback, wanted.callback);
  EXPECT_EQ(copy.job.idempotency_key, "");
  EXPECT_FALSE(copy.checkpoint);
  EXPECT_FALSE(copy.error);
  EXPECT_EQ(copy.job.attempt, 0);
  EXPECT_EQ(copy.job.failures, 0);
  EXPECT_EQ(copy.job.epoch, 0);
}

TEST_P(StoreRedrive, OverridesWhatTheOperatorNames) {
  const JobId old = dead();
  const JobId next = as<Settled>(redrive(old, {.payload = "[2]",
                                               .queue = "repair",
                                               .priority = 0,
                                               .max_retries = 1,
                                               .timeout = seconds(5)}))
                         .job;
  const JobRecord made = record(next);
  EXPECT_EQ(made.body.payload, "[2]");
  EXPECT_EQ(made.job.queue, "repair");
  EXPECT_EQ(made.job.priority, 0);
  EXPECT_EQ(made.job.policy.max_retries, 1);
  EXPECT_EQ(made.job.policy.timeout, seconds(5));
}

TEST_P(StoreRedrive, DelaysTheSuccessorWhenAsked) {
  const JobId next = as<Settled>(redrive(dead(), {.delay = seconds(30)})).job;
  expect_state(next, State::scheduled);
}

TEST_P(StoreRedrive, SchedulesTheSuccessorForTheTimeThatIsAsked) {
  const Instant at = now() + seconds(30);
  const JobId next = as<Settled>(redrive(dead(), {.run_at = at})).job;
  expect_state(next, State::scheduled);
  EXPECT_EQ(job(next).run_at, at);
  advance(seconds(31));
  due();
  EXPECT_EQ(claim_one().job, next);
  const JobId past = as<Settled>(redrive(dead(), {.run_at = at})).job;
  expect_state(past, State::queued);
}

TEST_P(StoreRedrive, AnswersTheSameSuccessorAgain) {
  const JobId old = dead();
  const JobId next = as<Settled>(redrive(old)).job;
  const auto before = dump();
  EXPECT_EQ(as<Settled>(redrive(old)).job, next);
  EXPECT_TRUE(dump() == before);
  complete(claim_one());
  const auto again = as<Settled>(redrive(old));
  EXPECT_EQ(again.job, next);
  EXPECT_EQ(again.status, Status::completed);
}

TEST_P(StoreRedrive, IsRefusedWhileTheKeyIsLive) {
  const JobId old = dead({.job_key = "k"});
  const JobId live = enqueue({.job_key = "k"});
  const Command again = Redrive{.ns = "default", .job = old, .successor = new_id(), .actor = ops_};
  expect_refused_without_effect(again, Code::key_in_use);
  EXPECT_EQ(as<Refusal>(send(again)).job, live);
  EXPECT_FALSE(job(old).successor_id);
}

TEST_P(StoreRedrive, IsRefusedUnlessTheJobIsDeadOrCanceled) {
  const std::vector<JobId> others = {
      succeeded(), running().job, waiting().job, retrying(), enqueue({.delay = days(1)}),
      enqueue()};
  for (const JobId& id : others) {
    SCOPED_TRACE(to_text(job(id).state));
    expect_refused_without_effect(
        Redrive{.ns = "default", .job = id, .successor = new_id(), .actor = ops_},
        Code::wrong_state);
  }
}

TEST_P(StoreRedrive, IsRefusedForAnUnknownJob) {
  expect_refused(redrive(new_id()), Code::not_found);
}

TEST_P(StoreRedrive, LetsASuccessorBeRedrivenInItsTurn) {
  const JobId first = dead();
  const JobId second = as<Settled>(redrive(first)).job;
  fail(claim_one(), {.retryable = false});
  const JobId third = as<Settled>(redrive(second)).job;
  EXPECT_EQ(job(third).redrive_of, second);
  EXPECT_EQ(as<Settled>(redrive(first)).job, second);
}

// ---- Reopen ------------------------------------------------------------------------------------

class StoreReopen : public StoreTest {
 protected:
  void SetUp() override {
    Rules rules;
    rules.terminal = Rules::Terminal::reopen;
    under(rules);
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreReopen, every_store(), store_name);

TEST_P(StoreReopen, RunsADeadJobAgainInPlace) {
  const JobId id = dead();
  const Verdict verdict = redrive(id);
  EXPECT_EQ(as<Settled>(verdict).job, id);
  expect_status(verdict, Status::pending);
  expect_state(id, State::queued);
  EXPECT_EQ(record(id).history.back().cause, Cause::reopen);
  EXPECT_FALSE(job(id).completed_at);
  EXPECT_FALSE(job(id).prune_after);
  EXPECT_EQ(dump().size(), 1u);
}

TEST_P(StoreReopen, LetsTheEpochGoOnRising) {
  const JobId id = dead();
  redrive(id);
  const Lease lease = claim_one();
  EXPECT_EQ(lease.job, id);
  EXPECT_EQ(lease.token.epoch, 2);
  expect_status(complete(lease), Status::completed);
}

TEST_P(StoreReopen, GivesAFreshBudgetOfRetries) {
  NewJob wanted = with_defaults({});
  wanted.policy.max_retries = 0;
  const Lease lease = running(wanted);
  fail(lease);
  redrive(lease.job, {.max_retries = 1});
  expect_status(fail(claim_one()), Status::pending);
}

TEST_P(StoreReopen, SchedulesADeadJobWhenADelayIsAsked) {
  const JobId id = dead();
  redrive(id, {.delay = seconds(30)});
  expect_state(id, State::scheduled);
  advance(seconds(31));
  due();
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreReopen, SchedulesADeadJobForTheTimeThatIsAsked) {
  const JobId id = dead();
  const Instant at = now() + seconds(30);
  redrive(id, {.run_at = at});
  expect_state(id, State::scheduled);
  EXPECT_EQ(job(id).run_at, at);
  EXPECT_FALSE(job(id).completed_at);
  advance(seconds(31));
  due();
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreReopen, ReopensACanceledJobAtOnceAlone) {
  const JobId id = canceled();
  expect_refused_without_effect(
      Redrive{
          .ns = "default", .job = id, .successor = new_id(), .delay = seconds(30), .actor = ops_},
      Code::wrong_state);
  expect_refused_without_effect(Redrive{.ns = "default",
                                        .job = id,
                                        .successor = new_id(),
                                        .run_at = now() + seconds(30),
                                        .actor = ops_},
                                Code::wrong_state);
  redrive(id, {.run_at = now()});
  expect_state(id, State::queued);
}

TEST_P(StoreReopen, OverwritesThePayloadWhenOneIsBrought) {
  const JobId id = dead();
  redrive(id, {.payload = "[2]"});
  EXPECT_EQ(claim_one().body.payload, "[2]");
}

TEST_P(StoreReopen, NeedsTheKeyToBeFree) {
  const JobId id = dead({.job_key = "k"});
  const JobId live = enqueue({.job_key = "k"});
  const Verdict verdict = redrive(id);
  expect_refused(verdict, Code::key_in_use);
  EXPECT_EQ(as<Refusal>(verdict).job, live);
  expect_state(id, State::dead);
  cancel(live);
  expect_status(redrive(id), Status::pending);
  expect_refused(try_enqueue({.job_key = "k", .on_conflict = OnConflict::reject}),
                 Code::key_in_use);
}

TEST_P(StoreReopen, CancelsWhatDiedOrSucceeded) {
  const JobId failed = dead();
  const JobId success = succeeded();
  expect_status(cancel(failed), Status::canceled);
  expect_status(cancel(success), Status::canceled);
  expect_state(failed, State::canceled);
  EXPECT_FALSE(record(success).result) << "a result is present exactly after success";
}

TEST_P(StoreReopen, DoesNotReopenASuccess) {
  expect_refused(redrive(succeeded()), Code::wrong_state);
}

}  // namespace
}  // namespace longshore::conformance
