// Finish by key: the reply of an external process without a token.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreFinishByKey : public StoreTest {
 protected:
  static FinishByKey failing(bool retryable = true) {
    FinishByKey finish;
    finish.outcome = {.error = {.code = "OUTSIDE", .message = "no"}, .retryable = retryable};
    return finish;
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreFinishByKey, every_store(), store_name);

TEST_P(StoreFinishByKey, CompletesAWaitingJob) {
  const Lease lease = waiting({.job_key = "k"});
  expect_status(finish_by_key("k"), Status::completed);
  expect_path(lease.job, "CREATED QUEUED RUNNING WAITING SUCCESS");
  EXPECT_EQ(record(lease.job).result, R"("replied")");
}

TEST_P(StoreFinishByKey, FailsAWaitingJob) {
  const Lease lease = waiting({.job_key = "k"});
  expect_status(finish_by_key("k", failing()), Status::pending);
  expect_path(lease.job, "CREATED QUEUED RUNNING WAITING RETRY");
  expect_error(lease.job, "OUTSIDE");
  EXPECT_EQ(job(lease.job).failures, 1);
}

TEST_P(StoreFinishByKey, FailsForGoodWhenTheErrorIsFatal) {
  const Lease lease = waiting({.job_key = "k"});
  expect_status(finish_by_key("k", failing(false)), Status::failed);
  expect_state(lease.job, State::dead);
}

TEST_P(StoreFinishByKey, WithAFenceIsARepeatUntilTheNextClaim) {
  const Lease lease = running({.job_key = "k"});
  FinishByKey reply = failing();
  reply.fence = lease.token.epoch;
  expect_status(finish_by_key("k", reply), Status::pending);
  const auto before = dump();
  expect_status(finish_by_key("k", reply), Status::pending);
  EXPECT_TRUE(dump() == before) << "counted once";
  FinishByKey other;
  other.fence = lease.token.epoch;
  expect_refused(finish_by_key("k", other), Code::already_settled);
  advance(seconds(10));
  due();
  claim_one();
  expect_refused(finish_by_key("k", reply), Code::lease_lost);
}

TEST_P(StoreFinishByKey, WithAFenceIsARepeatAlsoOfAJobThatHasEnded) {
  const JobId id = retrying({.job_key = "k"});
  FinishByKey reply;
  reply.fence = job(id).epoch;
  expect_status(finish_by_key("k", reply), Status::completed);
  expect_status(finish_by_key("k", reply), Status::completed);
}

TEST_P(StoreFinishByKey, WithoutAFenceIsAnotherReplyEachTime) {
  const Lease lease = running({.job_key = "k"});
  expect_status(finish_by_key("k", failing()), Status::pending);
  expect_status(finish_by_key("k", failing()), Status::pending);
  EXPECT_EQ(job(lease.job).failures, 2);
}

TEST_P(StoreFinishByKey, RevokesTheLeaseOfARunningJob) {
  const Lease lease = running({.job_key = "k"});
  expect_status(finish_by_key("k"), Status::completed);
  expect_refused(complete(lease), Code::lease_lost);
  expect_refused(heartbeat(lease), Code::lease_lost);
}

TEST_P(StoreFinishByKey, GoesThroughRunningFromRetry) {
  const JobId id = retrying({.job_key = "k"});
  expect_status(finish_by_key("k"), Status::completed);
  expect_path(id, "CREATED QUEUED RUNNING RETRY QUEUED RUNNING SUCCESS");
  const JobRecord after = record(id);
  EXPECT_EQ(after.history[5].worker, "external");
  EXPECT_EQ(after.job.epoch, 2);
  EXPECT_EQ(after.job.attempt, 1);
}

TEST_P(StoreFinishByKey, GoesThroughRunningFromQueued) {
  const Lease lease = running({.job_key = "k"});
  release(lease);
  expect_status(finish_by_key("k"), Status::completed);
  expect_path(lease.job, "CREATED QUEUED RUNNING RETRY QUEUED RUNNING SUCCESS");
  EXPECT_EQ(job(lease.job).epoch, 2);
  EXPECT_EQ(job(lease.job).attempt, 1);
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreFinishByKey, IsRefusedForAJobNeverStarted) {
  enqueue({.job_key = "queued"});
  enqueue({.job_key = "scheduled", .delay = seconds(5)});
  for (const char* name : {"queued", "scheduled"}) {
    SCOPED_TRACE(name);
    expect_refused(finish_by_key(name), Code::wrong_state);
  }
}

TEST_P(StoreFinishByKey, FindsNoJobWhenNoneIsLive) {
  succeeded({.job_key = "k"});
  expect_refused(finish_by_key("k"), Code::not_found);
  expect_refused(finish_by_key("never"), Code::not_found);
}

TEST_P(StoreFinishByKey, FindsTheJobByTypeAndKeyTogether) {
  waiting({.type = "a", .job_key = "k"});
  expect_refused(finish_by_key("k", {.type = "b"}), Code::not_found);
  expect_status(finish_by_key("k", {.type = "a"}), Status::completed);
}

TEST_P(StoreFinishByKey, ComparesTheFenceWithTheEpoch) {
  const Lease first = running({.job_key = "k"});
  release(first);
  const Lease second = claim_one();
  expect_refused(finish_by_key("k", {.fence = first.token.epoch}), Code::lease_lost);
  expect_refused(finish_by_key("k", {.fence = second.token.epoch + 1}), Code::lease_lost);
  expect_state(second.job, State::running);
  expect_status(finish_by_key("k", {.fence = second.token.epoch}), Status::completed);
}

TEST_P(StoreFinishByKey, AnswersAsBeforeWhenRepeated) {
  waiting({.job_key = "k"});
  const RequestId id = new_request();
  expect_status(finish_by_key("k", {.id = id}), Status::completed);
  const auto before = dump();
  expect_status(finish_by_key("k", {.id = id}), Status::completed);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreFinishByKey, AnswersARepeatedFailureAsBefore) {
  waiting({.job_key = "k"});
  FinishByKey finish = failing();
  finish.id = new_request();
  expect_status(finish_by_key("k", finish), Status::pending);
  const auto before = dump();
  expect_status(finish_by_key("k", finish), Status::pending);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreFinishByKey, RefusesThePlatformsErrorCodes) {
  waiting({.job_key = "k"});
  FinishByKey finish = failing();
  finish.outcome.error.code = "TIMEOUT";
  expect_refused(finish_by_key("k", finish), Code::invalid_field);
}

TEST_P(StoreFinishByKey, IsRefusedWhenTheHandOffIsOverdue) {
  const Lease lease = running({.job_key = "k"});
  hand_off(lease, seconds(10));
  advance(seconds(11));
  expect_refused(finish_by_key("k"), Code::wrong_state);
  reap();
  expect_status(finish_by_key("k"), Status::completed);
}

TEST_P(StoreFinishByKey, StaysWithinItsNamespace) {
  waiting({.job_key = "k"});
  expect_refused(finish_by_key("k", {.ns = "other"}), Code::not_found);
}

}  // namespace
}  // namespace longshore::conformance
