// Complete: one outcome is accepted, from the owner of the job.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreComplete : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreComplete, every_store(), store_name);

TEST_P(StoreComplete, FinishesWithAResult) {
  const Lease lease = running();
  expect_status(complete(lease, R"({"sum": 3.0})"), Status::completed);
  expect_path(lease.job, "CREATED QUEUED RUNNING SUCCESS");
  EXPECT_EQ(record(lease.job).result, R"({"sum": 3.0})");
  EXPECT_EQ(job(lease.job).completed_at, job(lease.job).updated_at);
}

TEST_P(StoreComplete, HasANullResultWhenNoneWasGiven) {
  EXPECT_EQ(record(succeeded()).result, "null");
}

TEST_P(StoreComplete, EndsTheLease) {
  const JobId id = succeeded();
  EXPECT_FALSE(job(id).lease_expires_at);
  EXPECT_FALSE(job(id).deadline_at);
  EXPECT_EQ(job(id).worker, "");
  advance(days(1));
  EXPECT_EQ(reap().count, 0);
}

TEST_P(StoreComplete, ForgetsTheErrorOfEarlierAttemptsButListsIt) {
  fail(running(), {.retry_after = Duration()});
  const Lease second = claim_one();
  complete(second);
  EXPECT_FALSE(record(second.job).error);
  EXPECT_EQ(record(second.job).errors.size(), 1u);
}

TEST_P(StoreComplete, AddsUpRunningAndWaitingTime) {
  const Lease first = running();
  advance(seconds(10));
  release(first);
  advance(seconds(100));
  const Lease second = claim_one();
  advance(seconds(5));
  hand_off(second);
  advance(seconds(50));
  complete(second);
  const Duration ran = job(second.job).execution;
  EXPECT_GE(ran, seconds(65));
  EXPECT_LT(ran, seconds(70));
}

TEST_P(StoreComplete, IsRefusedOnceTheLeaseHasEnded) {
  const Lease lease = running();
  advance(seconds(30));
  expect_refused_without_effect(Complete{.ns = "default", .job = lease.job, .token = lease.token},
                                Code::lease_lost);
}

TEST_P(StoreComplete, IsAcceptedUntilTheLeaseEnds) {
  const Lease lease = running();
  advance(seconds(29));
  expect_status(complete(lease), Status::completed);
}

TEST_P(StoreComplete, IsRefusedToAnEarlierAttempt) {
  const Lease first = running();
  advance(seconds(31));
  reap();
  const Lease second = claim_one({.worker = "alice"});
  expect_refused(complete(first), Code::lease_lost);
  expect_status(complete(second), Status::completed);
}

TEST_P(StoreComplete, IsRefusedToAGuessedToken) {
  Lease lease = running();
  lease.token.claim = RequestId{};
  expect_refused(complete(lease), Code::lease_lost);
  lease.token.claim = new_request();
  expect_refused(complete(lease), Code::lease_lost);
}

TEST_P(StoreComplete, IsRefusedForAJobNobodyClaimed) {
  const JobId id = enqueue();
  expect_refused_without_effect(Complete{.ns = "default", .job = id, .token = {}},
                                Code::lease_lost);
}

TEST_P(StoreComplete, SucceedsThoughACancelWasRequested) {
  const Lease lease = running();
  cancel(lease.job);
  expect_status(complete(lease), Status::completed);
  EXPECT_FALSE(job(lease.job).cancel_requested);
}

TEST_P(StoreComplete, AnswersAsBeforeWhenRepeated) {
  const Lease lease = running();
  const Verdict first = complete(lease, "1");
  const auto before = dump();
  EXPECT_EQ(as<Settled>(complete(lease, "1")), as<Settled>(first));
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreComplete, AnswersAsBeforeAlsoWhenTheLeaseWouldHaveEnded) {
  const Lease lease = running();
  complete(lease, "1");
  advance(days(1));
  expect_status(complete(lease, "1"), Status::completed);
}

TEST_P(StoreComplete, RefusesAnotherResultFromTheSameToken) {
  const Lease lease = running();
  complete(lease, "1");
  expect_refused(complete(lease, "2"), Code::already_settled);
  EXPECT_EQ(record(lease.job).result, "1");
}

TEST_P(StoreComplete, RefusesAFailureFromTheTokenThatCompleted) {
  const Lease lease = running();
  complete(lease);
  expect_refused(fail(lease), Code::already_settled);
  expect_refused(release(lease), Code::already_settled);
  expect_state(lease.job, State::success);
}

TEST_P(StoreComplete, LeavesTheRecordAloneForEver) {
  const JobId id = succeeded();
  const JobRecord before = record(id);
  cancel(id);
  cancel(id, true);
  promote(id);
  resolve(id, {.result = "7"});
  redrive(id);
  advance(days(1));
  tick();
  EXPECT_TRUE(record(id) == before);
}

}  // namespace
}  // namespace longshore::conformance
