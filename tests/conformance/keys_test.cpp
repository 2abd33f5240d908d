// Keys: an idempotency key identifies one job, a job key at most one live job.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreKeys : public StoreTest {
 protected:
  KeyView key(const std::string& name) {
    const auto view = catalog().find_idempotency_key("default", name);
    EXPECT_TRUE(view.ok()) << name << " stands for nothing";
    return view ? *view : KeyView{};
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreKeys, every_store(), store_name);

TEST_P(StoreKeys, AnswersARepeatedIdempotencyKeyWithTheFirstJob) {
  const JobId first = enqueue({.idempotency_key = "once"});
  const EnqueuedJob again = enqueued({.type = "other", .idempotency_key = "once"});
  EXPECT_EQ(again.id, first);
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(dump().size(), 1u);
}

TEST_P(StoreKeys, AnswersWithTheCurrentStatusAlsoWhenTheJobIsFinished) {
  const JobId first = succeeded({.idempotency_key = "once"});
  const EnqueuedJob again = enqueued({.idempotency_key = "once"});
  EXPECT_EQ(again.id, first);
  EXPECT_EQ(again.status, Status::completed);
}

TEST_P(StoreKeys, IgnoresADifferentBodyUnlessAskedToRejectIt) {
  const JobId first = enqueue({.idempotency_key = "once", .body_hash = 1});
  EXPECT_EQ(enqueue({.idempotency_key = "once", .body_hash = 2}), first);
}

TEST_P(StoreKeys, RefusesADifferentBodyWhenAskedTo) {
  enqueue({.idempotency_key = "once", .body_hash = 1});
  const auto before = dump();
  expect_refused(try_enqueue({with_defaults({.idempotency_key = "once", .body_hash = 2})}, true),
                 Code::idempotency_mismatch);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreKeys, AcceptsTheSameBodyWhenMismatchesAreRejected) {
  const JobId first = enqueue({.idempotency_key = "once", .body_hash = 1});
  const auto again =
      as<Enqueued>(try_enqueue({with_defaults({.idempotency_key = "once", .body_hash = 1})}, true));
  EXPECT_EQ(again.jobs.at(0).id, first);
}

TEST_P(StoreKeys, ScopesIdempotencyKeysByNamespaceAcrossTypesAndQueues) {
  const JobId first = enqueue({.type = "a", .queue = "x", .idempotency_key = "once"});
  EXPECT_EQ(enqueue({.type = "b", .queue = "y", .idempotency_key = "once"}), first);
  const NewJob elsewhere = with_defaults({.idempotency_key = "once"});
  const auto there = as<Enqueued>(send(Enqueue{.ns = "other", .jobs = {elsewhere}}));
  EXPECT_EQ(there.jobs.at(0).id, elsewhere.id);
}

TEST_P(StoreKeys, FindsWhatAnIdempotencyKeyStandsFor) {
  const JobId id = enqueue({.idempotency_key = "once", .body_hash = 77});
  EXPECT_EQ(key("once").job, id);
  EXPECT_EQ(key("once").body_hash, 77u);
  EXPECT_EQ(key("once").last_status, Status::pending);
  const auto unknown = catalog().find_idempotency_key("default", "never");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, Errc::not_found);
}

TEST_P(StoreKeys, AnswersALiveJobKeyWithTheExistingJob) {
  const JobId first = enqueue({.job_key = "order-1"});
  const EnqueuedJob again = enqueued({.priority = 1, .job_key = "order-1"});
  EXPECT_EQ(again.id, first);
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(job(first).priority, 5);
}

TEST_P(StoreKeys, RefusesALiveJobKeyWhenToldToReject) {
  const JobId first = enqueue({.job_key = "order-1"});
  const Verdict verdict = try_enqueue({.job_key = "order-1", .on_conflict = OnConflict::reject});
  expect_refused(verdict, Code::key_in_use);
  EXPECT_EQ(as<Refusal>(verdict).job, first);
  EXPECT_EQ(dump().size(), 1u);
}

TEST_P(StoreKeys, HoldsAJobKeyInEveryStateThatIsNotTerminal) {
  const auto in_use = [&](const std::string& name) {
    expect_refused(try_enqueue({.job_key = name, .on_conflict = OnConflict::reject}),
                   Code::key_in_use);
  };
  enqueue({.job_key = "scheduled", .delay = seconds(9)});
  running({.job_key = "running"});
  waiting({.job_key = "waiting"});
  retrying({.job_key = "retry"});
  enqueue({.job_key = "queued"});
  for (const char* name : {"scheduled", "queued", "running", "waiting", "retry"}) {
    SCOPED_TRACE(name);
    in_use(name);
  }
}

TEST_P(StoreKeys, FreesAJobKeyWhenItsJobEnds) {
  const JobId old_ones[] = {succeeded({.job_key = "a"}), dead({.job_key = "b"}),
                            canceled({.job_key = "c"})};
  for (const JobId& old : old_ones) {
    const std::string name = job(old).job_key;
    SCOPED_TRACE(name);
    const EnqueuedJob next = enqueued({.job_key = name, .on_conflict = OnConflict::reject});
    EXPECT_NE(next.id, old);
    EXPECT_TRUE(next.fresh);
  }
}

TEST_P(StoreKeys, KeepsJobKeysOfDifferentTypesApart) {
  const JobId mail = enqueue({.type = "mail", .job_key = "1"});
  const JobId print = enqueue({.type = "print", .job_key = "1"});
  EXPECT_NE(mail, print);
}

TEST_P(StoreKeys, KeepsTheJobKeyOfAnotherTypeWhenOneChangesHands) {
  const JobId mail = enqueue({.type = "mail", .queue = "post", .job_key = "k"});
  const Lease old = running({.job_key = "k"});
  const NewJob next = with_defaults({.job_key = "k"});
  const std::vector<Command> together = {
      Complete{.ns = "default", .job = old.job, .token = old.token},
      Enqueue{.ns = "default", .jobs = {next}}};
  ASSERT_TRUE(store().commit(together).ok());
  EXPECT_EQ(enqueue({.type = "mail", .job_key = "k"}), mail);
  EXPECT_EQ(enqueue({.job_key = "k"}), next.id);
}

TEST_P(StoreKeys, ChecksTheIdempotencyKeyBeforeTheJobKey) {
  const JobId first = enqueue({.job_key = "a", .idempotency_key = "once"});
  enqueue({.job_key = "b"});
  const EnqueuedJob again =
      enqueued({.job_key = "b", .idempotency_key = "once", .on_conflict = OnConflict::reject});
  EXPECT_EQ(again.id, first);
}

TEST_P(StoreKeys, BindsANewIdempotencyKeyToTheJobThatAnswered) {
  const JobId first = enqueue({.job_key = "order-1", .idempotency_key = "one"});
  EXPECT_EQ(enqueue({.job_key = "order-1", .idempotency_key = "two"}), first);
  EXPECT_EQ(key("two").job, first);
  complete(claim_one());
  EXPECT_EQ(enqueue({.job_key = "order-1", .idempotency_key = "two"}), first);
  EXPECT_EQ(key("two").last_status, Status::completed);
}

TEST_P(StoreKeys, DoesNotLetClientsMeetThePlatformsOnceKeys) {
  const Lease lease = running({.callback = Callback{.url = "https://example.org/"}});
  complete(lease);
  ASSERT_EQ(callbacks().size(), 1u);
  const Job delivery = callbacks()[0];
  const EnqueuedJob mine = enqueued({.idempotency_key = delivery.idempotency_key});
  EXPECT_TRUE(mine.fresh);
  EXPECT_NE(mine.id, delivery.id);
}

// ---- Replace -----------------------------------------------------------------------------------

TEST_P(StoreKeys, ReplacesAJobThatHasNotStarted) {
  const JobId first = enqueue({.queue = "slow", .priority = 7, .job_key = "k"});
  const Job before = job(first);
  advance(seconds(5));
  NewJob newer = with_defaults({.queue = "fast", .priority = 1, .job_key = "k"});
  newer.body = {.payload = "[2]", .tags = {"new"}};
  newer.policy.max_retries = 9;
  newer.on_conflict = OnConflict::replace;
  EXPECT_EQ(enqueue(newer), first);

  const JobRecord after = record(first);
  EXPECT_EQ(after.job.created_at, before.created_at);
  EXPECT_EQ(after.job.job_key, "k");
  EXPECT_EQ(after.job.queue, "fast");
  EXPECT_EQ(after.job.priority, 1);
  EXPECT_EQ(after.job.policy.max_retries, 9);
  EXPECT_EQ(after.body, newer.body);
  EXPECT_EQ(causes(first), "enqueue accept replace");
  EXPECT_EQ(dump().size(), 1u);
}

TEST_P(StoreKeys, MovesAReplacedJobToTheBack) {
  const JobId first = enqueue({.job_key = "k"});
  const JobId second = enqueue();
  enqueue({.job_key = "k", .on_conflict = OnConflict::replace});
  EXPECT_EQ(claimed(), (std::vector<JobId>{second, first}));
}

TEST_P(StoreKeys, ReplacesTheTimeToo) {
  const JobId id = enqueue({.job_key = "k", .delay = days(1)});
  enqueue({.job_key = "k", .on_conflict = OnConflict::replace});
  expect_path(id, "CREATED SCHEDULED QUEUED");
  enqueue({.job_key = "k", .on_conflict = OnConflict::replace, .delay = seconds(30)});
  expect_path(id, "CREATED SCHEDULED QUEUED SCHEDULED");
  EXPECT_TRUE(claim().empty());
  advance(seconds(31));
  due();
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreKeys, ReplacesOnceHoweverOftenItIsSent) {
  const JobId id = enqueue({.job_key = "k"});
  const NewJob newer = with_defaults({.job_key = "k", .on_conflict = OnConflict::replace});
  enqueue(newer);
  const auto before = dump();
  EXPECT_EQ(enqueue(newer), id);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreKeys, RefusesToReplaceAJobThatHasStarted) {
  const auto refused = [&](const std::string& name) {
    SCOPED_TRACE(name);
    expect_refused(try_enqueue({.job_key = name, .on_conflict = OnConflict::replace}),
                   Code::key_in_use);
  };
  running({.job_key = "running"});
  refused("running");
  retrying({.job_key = "retry"});
  refused("retry");
  release(running({.job_key = "released"}));
  refused("released");
}

TEST_P(StoreKeys, FindsTheLiveJobOfAKeyElseTheLatest) {
  const JobId old = succeeded({.job_key = "k"});
  const JobId newer = dead({.job_key = "k"});
  EXPECT_EQ(catalog().find_by_key("default", "work", "k")->id, newer);
  const JobId live = enqueue({.job_key = "k"});
  EXPECT_EQ(catalog().find_by_key("default", "work", "k")->id, live);
  EXPECT_NE(old, newer);
  EXPECT_EQ(catalog().find_by_key("default", "work", "none").error().code, Errc::not_found);
  EXPECT_EQ(catalog().find_by_key("default", "other", "k").error().code, Errc::not_found);
}

}  // namespace
}  // namespace longshore::conformance
