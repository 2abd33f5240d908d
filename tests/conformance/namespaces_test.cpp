// Namespaces: no command can read or change anything of another namespace.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreNamespaces : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreNamespaces, every_store(), store_name);

TEST_P(StoreNamespaces, RefuseForeignIdsToEveryVerb) {
  const Lease held = running({.job_key = "k"});
  const JobId failed = dead({.queue = "q"});
  const JobId later = enqueue({.delay = days(1)});
  const JobId id = held.job;
  const LeaseToken token = held.token;
  const std::vector<Command> commands = {
      Heartbeat{.id = new_request(), .ns = "other", .job = id, .token = token},
      Complete{.ns = "other", .job = id, .token = token},
      Fail{.ns = "other", .job = id, .token = token, .error = {.code = "A", .message = "m"}},
      Release{.ns = "other", .job = id, .token = token},
      HandOff{.ns = "other", .job = id, .token = token},
      FinishByKey{.id = new_request(),
                  .ns = "other",
                  .type = "work",
                  .key = "k",
                  .outcome = {.result = "1"}},
      Cancel{.ns = "other", .job = id, .actor = ops_},
      Cancel{.ns = "other", .job = id, .force = true, .actor = ops_},
      Promote{.ns = "other", .job = later, .actor = ops_},
      Resolve{
          .id = new_request(), .ns = "other", .job = id, .outcome = {.result = "1"}, .actor = ops_},
      Redrive{.ns = "other", .job = failed, .successor = new_id(), .actor = ops_},
  };
  for (const Command& command : commands) {
    SCOPED_TRACE(name_of(command));
    expect_refused_without_effect(command, Code::not_found);
  }
  EXPECT_TRUE(catalog().audit_trail("other", 10)->empty());
  expect_status(complete(held), Status::completed);
}

TEST_P(StoreNamespaces, HideForeignJobsFromEveryReader) {
  const JobId id = running({.job_key = "k", .idempotency_key = "i"}).job;
  EXPECT_EQ(catalog().get("other", id).error().code, Errc::not_found);
  EXPECT_EQ(catalog().glance("other", id).error().code, Errc::not_found);
  EXPECT_EQ(catalog().logs("other", id).error().code, Errc::not_found);
  EXPECT_EQ(catalog().find_by_key("other", "work", "k").error().code, Errc::not_found);
  EXPECT_EQ(catalog().find_idempotency_key("other", "i").error().code, Errc::not_found);
  const std::vector<JobId> ids = {id};
  EXPECT_EQ(*catalog().versions("other", ids), std::vector<std::int64_t>{0});
  EXPECT_TRUE(catalog().list({.ns = "other"})->jobs.empty());
  EXPECT_TRUE(catalog().queues("other")->empty());
}

TEST_P(StoreNamespaces, DoNotLetAForeignEnqueueBorrowAnId) {
  const JobId id = enqueue();
  NewJob wanted = with_defaults({});
  wanted.id = id;
  const auto before = dump();
  const Refusal refused = as<Refusal>(send(Enqueue{.ns = "other", .jobs = {wanted}}));
  EXPECT_EQ(refused.code, Code::id_in_use);
  EXPECT_FALSE(refused.job) << "nothing is told of another namespace's job";
  EXPECT_TRUE(dump() == before) << "an id belongs to the job that brought it first";
}

TEST_P(StoreNamespaces, KeepQueuesOfTheSameNameApart) {
  const JobId here = enqueue();
  const JobId there = enqueue_in("other");
  EXPECT_EQ(claimed({.ns = "other"}), std::vector<JobId>{there});
  EXPECT_EQ(claimed(), std::vector<JobId>{here});
}

// A refused enqueue of many jobs frees its own keys, and no others.
TEST_P(StoreNamespaces, KeepTheKeysOfOthersWhenAGroupIsRefused) {
  const JobId there = enqueue_in("other", {.job_key = "k", .idempotency_key = "once"});
  enqueue({.job_key = "taken"});
  expect_refused(
      try_enqueue({with_defaults({.job_key = "k", .idempotency_key = "once"}),
                   with_defaults({.job_key = "taken", .on_conflict = OnConflict::reject})}),
      Code::key_in_use);
  EXPECT_FALSE(catalog().find_idempotency_key("default", "once").ok());
  const auto again = as<Enqueued>(
      send(Enqueue{.ns = "other", .jobs = {with_defaults({.idempotency_key = "once"})}}));
  ASSERT_EQ(again.jobs.size(), 1u);
  EXPECT_EQ(again.jobs[0].id, there);
  const NewJob rival = with_defaults({.job_key = "k", .on_conflict = OnConflict::reject});
  expect_refused(send(Enqueue{.ns = "other", .jobs = {rival}}), Code::key_in_use);
}

TEST_P(StoreNamespaces, KeepTheKeysOfOthersWhenAJobEnds) {
  const JobId there = enqueue_in("other", {.job_key = "k"});
  succeeded({.job_key = "k"});
  const NewJob rival = with_defaults({.job_key = "k", .on_conflict = OnConflict::reject});
  const auto refused = as<Refusal>(send(Enqueue{.ns = "other", .jobs = {rival}}));
  EXPECT_EQ(refused.code, Code::key_in_use);
  EXPECT_EQ(refused.job, there);
}

TEST_P(StoreNamespaces, KeepAClaimsIdToItsNamespace) {
  const Claim here = asking({});
  enqueue();
  enqueue_in("other");
  claim_one(here);
  Claim there = here;
  there.ns = "other";
  const auto leases = claim(there);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_TRUE(catalog().glance("other", leases[0].job).ok());
}

}  // namespace
}  // namespace longshore::conformance
