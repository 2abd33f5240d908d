// Enqueue: new jobs, their start, and repeated requests.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreEnqueue : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreEnqueue, every_store(), store_name);

TEST_P(StoreEnqueue, AcceptsAJobInTheCommitThatRecordsIt) {
  const EnqueuedJob answer = enqueued({.type = "email.send"});
  EXPECT_EQ(answer.status, Status::pending);
  EXPECT_TRUE(answer.fresh);
  expect_path(answer.id, "CREATED QUEUED");
  EXPECT_EQ(causes(answer.id), "enqueue accept");
}

TEST_P(StoreEnqueue, KeepsEveryFieldByteForByte) {
  NewJob wanted = with_defaults({.type = "email.send", .queue = "mail", .priority = 2});
  wanted.body = {.payload = "{ \"a\" : [1,  2.50, \"\\u00e9\"] }",
                 .tags = {"red", "blau grün"},
                 .metadata = R"({"team":"billing"})",
                 .request = R"({"method":"POST","path":"/x"})",
                 .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
  wanted.policy = {.max_retries = 7,
                   .timeout = seconds(99),
                   .backoff = {.kind = Backoff::Kind::fixed, .base = seconds(9), .jitter = 0}};
  wanted.job_key = "order/17 ü";
  wanted.idempotency_key = "once";
  wanted.expires_at = now() + days(1);
  wanted.callback = Callback{.url = "https://example.org/hook", .secret_name = "hooks"};
  enqueue(wanted);

  const JobRecord kept = record(wanted.id);
  EXPECT_EQ(kept.body, wanted.body);
  EXPECT_EQ(kept.job.policy, wanted.policy);
  EXPECT_EQ(kept.job.type, "email.send");
  EXPECT_EQ(kept.job.queue, "mail");
  EXPECT_EQ(kept.job.priority, 2);
  EXPECT_EQ(kept.job.job_key, wanted.job_key);
  EXPECT_EQ(kept.job.idempotency_key, "once");
  EXPECT_EQ(kept.job.expires_at, wanted.expires_at);
  EXPECT_EQ(kept.job.callback, wanted.callback);
  EXPECT_EQ(kept.job.ns, "default");
}

TEST_P(StoreEnqueue, KeepsBytesThatNoTextProtocolLikes) {
  NewJob wanted = with_defaults({});
  wanted.body.payload = std::string("\"\0 '; DROP TABLE jobs; -- \\ % \r\n \"", 33);
  wanted.job_key = "a'b\"c\nd";
  const JobId id = enqueue(wanted);
  EXPECT_EQ(record(id).body.payload, wanted.body.payload);
  EXPECT_EQ(job(id).job_key, wanted.job_key);
}

TEST_P(StoreEnqueue, KeepsAPayloadOfOneMebibyte) {
  NewJob wanted = with_defaults({});
  wanted.body.payload = '"' + std::string(1024 * 1024 - 2, 'x') + '"';
  const JobId id = enqueue(wanted);
  EXPECT_TRUE(record(id).body.payload == wanted.body.payload);
  EXPECT_TRUE(claim_one().body.payload == wanted.body.payload);
}

TEST_P(StoreEnqueue, StartsEveryCounterAtZero) {
  const Job fresh = job(enqueue());
  EXPECT_EQ(fresh.attempt, 0);
  EXPECT_EQ(fresh.failures, 0);
  EXPECT_EQ(fresh.crashes, 0);
  EXPECT_EQ(fresh.retry_count, 0);
  EXPECT_EQ(fresh.epoch, 0);
  EXPECT_FALSE(fresh.first_started_at);
  EXPECT_FALSE(fresh.completed_at);
  EXPECT_FALSE(fresh.lease_expires_at);
}

TEST_P(StoreEnqueue, StampsTheStoresOwnTime) {
  const Instant before = now();
  const Job fresh = job(enqueue());
  EXPECT_GE(fresh.created_at, before);
  EXPECT_LE(fresh.created_at, now());
  EXPECT_EQ(fresh.updated_at, fresh.created_at);
  EXPECT_EQ(fresh.run_at, fresh.created_at);
}

TEST_P(StoreEnqueue, SchedulesADelayedJob) {
  const JobId id = enqueue({.delay = seconds(10)});
  expect_path(id, "CREATED SCHEDULED");
  EXPECT_EQ(job(id).run_at, job(id).created_at + seconds(10));
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreEnqueue, SchedulesAJobWhoseTimeIsStillToCome) {
  const Instant later = now() + days(3);
  const JobId id = enqueue({.run_at = later});
  expect_state(id, State::scheduled);
  EXPECT_EQ(job(id).run_at, later);
}

TEST_P(StoreEnqueue, QueuesAJobWhoseTimeHasAlreadyCome) {
  expect_state(enqueue({.run_at = now() - days(1)}), State::queued);
}

TEST_P(StoreEnqueue, RefusesAnExpiryBeforeTheStart) {
  const Command early = Enqueue{
      .ns = "default",
      .jobs = {with_defaults({.run_at = now() + seconds(100), .expires_at = now() + seconds(50)})}};
  expect_refused_without_effect(early, Code::invalid_field);
}

TEST_P(StoreEnqueue, NumbersJobsInTheOrderOfTheirCreation) {
  const JobId first = enqueue();
  const JobId second = enqueue();
  const JobId third = enqueue();
  EXPECT_LT(job(first).number, job(second).number);
  EXPECT_LT(job(second).number, job(third).number);
}

TEST_P(StoreEnqueue, AnswersTheSameWhenSentAgain) {
  const NewJob wanted = with_defaults({.job_key = "k", .idempotency_key = "once"});
  const EnqueuedJob first = enqueued(wanted);
  const auto before = dump();
  EXPECT_EQ(enqueued(wanted), first);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreEnqueue, AnswersAResentJobWithItsPresentStatus) {
  const NewJob wanted = with_defaults({});
  enqueue(wanted);
  complete(claim_one());
  EXPECT_EQ(enqueued(wanted).status, Status::completed);
  EXPECT_EQ(dump().size(), 1u);
}

TEST_P(StoreEnqueue, RefusesAnIdThatAnotherTypeHas) {
  const JobId taken = enqueue({.type = "work"});
  NewJob wanted = with_defaults({.type = "other", .idempotency_key = "free"});
  wanted.id = taken;
  const Command alone = Enqueue{.ns = "default", .jobs = {wanted}};
  expect_refused_without_effect(alone, Code::id_in_use);
  const Command second = Enqueue{.ns = "default", .jobs = {with_defaults({}), wanted}};
  expect_refused_without_effect(second, Code::id_in_use);
  EXPECT_EQ(as<Refusal>(send(second)).index, 1U);
  EXPECT_EQ(as<Refusal>(send(second)).job, taken);
}

TEST_P(StoreEnqueue, RefusesAnIdThatAnotherTypeHasOnceItHasEnded) {
  const JobId taken = enqueue({.type = "work"});
  complete(claim_one());
  NewJob wanted = with_defaults({.type = "other"});
  wanted.id = taken;
  expect_refused_without_effect(Enqueue{.ns = "default", .jobs = {wanted}}, Code::id_in_use);
}

TEST_P(StoreEnqueue, RefusesAnIdThatAnotherTypeBringsInTheSameCommit) {
  const NewJob first = with_defaults({.type = "work"});
  NewJob second = with_defaults({.type = "other"});
  second.id = first.id;
  const std::vector<Command> commands = {Enqueue{.ns = "default", .jobs = {first}},
                                         Enqueue{.ns = "default", .jobs = {second}}};
  const auto committed = store().commit(commands);
  ASSERT_TRUE(committed.ok());
  EXPECT_EQ(as<Enqueued>(committed->verdicts[0]).jobs.at(0).id, first.id);
  expect_refused(committed->verdicts[1], Code::id_in_use);
  EXPECT_EQ(dump().size(), 1U);
}

TEST_P(StoreEnqueue, SeparatesNamespaces) {
  NewJob wanted = with_defaults({.job_key = "k", .idempotency_key = "once"});
  const JobId here = enqueue(wanted);
  wanted.id = new_id();
  const JobId there = enqueue_in("other", wanted);
  EXPECT_NE(here, there);
  EXPECT_TRUE(exists(here));
  EXPECT_FALSE(exists(there));
  EXPECT_TRUE(catalog().get("other", there).ok());
}

TEST_P(StoreEnqueue, ReportsEventsInOrder) {
  const NewJob wanted = with_defaults({.queue = "mail"});
  const Command command = Enqueue{.ns = "default", .jobs = {wanted}};
  const auto committed = store().commit({&command, 1});
  ASSERT_TRUE(committed.ok());
  ASSERT_EQ(committed->events.size(), 2u);
  const JobEvent& second = committed->events[1];
  EXPECT_EQ(second.job, wanted.id);
  EXPECT_EQ(second.ns, "default");
  EXPECT_EQ(second.type, "work");
  EXPECT_EQ(second.queue, "mail");
  EXPECT_EQ(committed->events[0].transition, record(wanted.id).history[0]);
  EXPECT_EQ(second.transition, record(wanted.id).history[1]);
}

TEST_P(StoreEnqueue, ExecutesEachCommandOfACommitOnItsOwn) {
  const NewJob good = with_defaults({});
  const std::vector<Command> commands = {
      Enqueue{.ns = "default", .jobs = {with_defaults({.priority = 12})}},
      Enqueue{.ns = "default", .jobs = {good}},
      Cancel{.ns = "default", .job = new_id(), .actor = ops_},
      Cancel{.ns = "default", .job = good.id, .actor = ops_},
  };
  const auto committed = store().commit(commands);
  ASSERT_TRUE(committed.ok());
  ASSERT_EQ(committed->verdicts.size(), 4u);
  expect_refused(committed->verdicts[0], Code::invalid_field);
  as<Enqueued>(committed->verdicts[1]);
  expect_refused(committed->verdicts[2], Code::not_found);
  expect_status(committed->verdicts[3], Status::canceled);
}

TEST_P(StoreEnqueue, LetsAClaimOfTheSameCommitTakeTheJob) {
  const NewJob wanted = with_defaults({});
  const std::vector<Command> commands = {Enqueue{.ns = "default", .jobs = {wanted}}, asking({})};
  const auto committed = store().commit(commands);
  ASSERT_TRUE(committed.ok());
  const auto leased = as<Leased>(committed->verdicts[1]);
  ASSERT_EQ(leased.leases.size(), 1u);
  EXPECT_EQ(leased.leases[0].job, wanted.id);
}

TEST_P(StoreEnqueue, AcceptsAnEmptyCommit) {
  const auto committed = store().commit({});
  ASSERT_TRUE(committed.ok());
  EXPECT_TRUE(committed->verdicts.empty());
  EXPECT_TRUE(committed->events.empty());
}

}  // namespace
}  // namespace longshore::conformance
