// Release: a worker returns a job; no failure is counted.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreRelease : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreRelease, every_store(), store_name);

TEST_P(StoreRelease, QueuesTheJobAgainWithoutCounting) {
  const Lease lease = running();
  expect_status(release(lease), Status::pending);
  expect_path(lease.job, "CREATED QUEUED RUNNING RETRY QUEUED");
  const Job after = job(lease.job);
  EXPECT_EQ(after.failures, 0);
  EXPECT_EQ(after.crashes, 0);
  EXPECT_EQ(after.retry_count, 0);
  EXPECT_EQ(after.attempt, 1);
}

TEST_P(StoreRelease, GoesBeforeThoseThatCameMeanwhile) {
  const Lease lease = running();
  const JobId later = enqueue();
  release(lease);
  EXPECT_EQ(claimed(), (std::vector<JobId>{lease.job, later}));
}

TEST_P(StoreRelease, StaysBehindBetterPriorities) {
  const Lease lease = running();
  const JobId urgent = enqueue({.priority = 1});
  release(lease);
  EXPECT_EQ(claimed(), (std::vector<JobId>{urgent, lease.job}));
}

TEST_P(StoreRelease, WaitsAsLongAsAsked) {
  const Lease lease = running();
  release(lease, {.delay = seconds(20)});
  expect_path(lease.job, "CREATED QUEUED RUNNING RETRY");
  advance(seconds(19));
  due();
  EXPECT_TRUE(claim().empty());
  advance(seconds(2));
  due();
  EXPECT_EQ(claim_one().job, lease.job);
}

TEST_P(StoreRelease, KeepsTheCheckpointForTheNextAttempt) {
  const Lease lease = running();
  release(lease, {.checkpoint = "[41]"});
  EXPECT_EQ(claim_one().checkpoint, "[41]");
}

TEST_P(StoreRelease, MayBeRepeatedAnyNumberOfTimesWithoutKillingTheJob) {
  NewJob wanted = with_defaults({});
  wanted.policy.max_retries = 0;
  Lease lease = running(wanted);
  for (int i = 0; i < 12; ++i) {
    release(lease);
    lease = claim_one();
  }
  EXPECT_EQ(lease.attempt, 13);
  expect_status(complete(lease), Status::completed);
}

TEST_P(StoreRelease, IsListedInTheHistoryOnly) {
  const Lease lease = running();
  release(lease);
  EXPECT_TRUE(record(lease.job).errors.empty());
  EXPECT_EQ(causes(lease.job), "enqueue accept claim release due");
}

TEST_P(StoreRelease, EndsCanceledWhenACancelWasRequested) {
  const Lease lease = running();
  cancel(lease.job);
  expect_status(release(lease), Status::canceled);
  expect_error(lease.job, "CANCELED");
}

TEST_P(StoreRelease, AnswersAsBeforeWhenRepeated) {
  const Lease lease = running();
  const Verdict first = release(lease);
  const auto before = dump();
  EXPECT_EQ(as<Settled>(release(lease)), as<Settled>(first));
  EXPECT_TRUE(dump() == before);
  expect_refused(complete(lease), Code::already_settled);
}

TEST_P(StoreRelease, IsRefusedToAStaleToken) {
  const Lease first = running();
  release(first);
  claim_one();
  expect_refused(release(first), Code::lease_lost);
}

TEST_P(StoreRelease, IsRefusedOnceTheLeaseHasEnded) {
  const Lease lease = running();
  advance(seconds(30));
  expect_refused(release(lease), Code::lease_lost);
}

TEST_P(StoreRelease, RefusesANegativeDelay) {
  const Lease lease = running();
  expect_refused(release(lease, {.delay = Duration::millis(-1)}), Code::invalid_field);
}

}  // namespace
}  // namespace longshore::conformance
