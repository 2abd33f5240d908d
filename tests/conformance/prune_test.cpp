// Prune: how long finished jobs are kept, and what outlives them.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StorePrune : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StorePrune, every_store(), store_name);

TEST_P(StorePrune, KeepsSuccessAndCanceledSevenDaysAndTheDeadForEver) {
  const JobId success = succeeded();
  const JobId gone = canceled();
  const JobId failed = dead();
  advance(days(7) - seconds(10));
  EXPECT_EQ(prune().count, 0);
  advance(seconds(20));
  EXPECT_EQ(prune().count, 2);
  EXPECT_FALSE(exists(success));
  EXPECT_FALSE(exists(gone));
  advance(days(3650));
  prune();
  EXPECT_TRUE(exists(failed));
}

TEST_P(StorePrune, NeverTakesAJobThatHasNotEnded) {
  const JobId queued = enqueue();
  const JobId scheduled = enqueue({.delay = days(9000)});
  advance(days(3650));
  prune();
  expect_state(queued, State::queued);
  expect_state(scheduled, State::scheduled);
}

TEST_P(StorePrune, FollowsTheQueuesOwnRetention) {
  send(Configure{.queues = {{.ns = "default", .queue = "short", .keep_success = seconds(60)}}});
  const JobId quick = succeeded({.queue = "short"});
  const JobId slow = succeeded();
  advance(seconds(61));
  EXPECT_EQ(prune().count, 1);
  EXPECT_FALSE(exists(quick));
  EXPECT_TRUE(exists(slow));
}

TEST_P(StorePrune, PrefersTheTypesRetentionOverTheQueues) {
  send(
      Configure{.queues = {{.ns = "default", .queue = "short", .keep_success = seconds(60)}},
                .types = {{.ns = "default", .type = "kept", .keep_success = Duration::forever()}}});
  const JobId kept = succeeded({.type = "kept", .queue = "short"});
  advance(days(400));
  prune();
  EXPECT_TRUE(exists(kept));
  EXPECT_FALSE(job(kept).prune_after);
}

TEST_P(StorePrune, CanLimitTheDeadToo) {
  send(Configure{.types = {{.ns = "default", .type = "work", .keep_dead = days(1)}}});
  const JobId id = dead();
  EXPECT_EQ(job(id).prune_after, *job(id).completed_at + days(1));
  advance(days(1) + seconds(1));
  EXPECT_EQ(prune().count, 1);
}

TEST_P(StorePrune, ResolvesRetentionWhenTheJobEnds) {
  const JobId id = succeeded();
  send(Configure{.types = {{.ns = "default", .type = "work", .keep_success = seconds(1)}}});
  EXPECT_EQ(job(id).prune_after, *job(id).completed_at + days(7));
}

TEST_P(StorePrune, TakesLogsErrorsAndHistoryAlong) {
  const Lease lease = running();
  heartbeat(lease, {.log = "line\n"});
  complete(lease);
  advance(days(8));
  prune();
  EXPECT_EQ(catalog().get("default", lease.job).error().code, Errc::not_found);
  EXPECT_EQ(catalog().logs("default", lease.job).error().code, Errc::not_found);
  const std::vector<JobId> ids = {lease.job};
  EXPECT_EQ(*catalog().versions("default", ids), std::vector<std::int64_t>{0});
}

TEST_P(StorePrune, RefusesEveryVerbForAPrunedJob) {
  const Lease lease = running();
  complete(lease);
  advance(days(8));
  prune();
  expect_refused(complete(lease), Code::not_found);
  expect_refused(cancel(lease.job), Code::not_found);
  expect_refused(redrive(lease.job), Code::not_found);
}

TEST_P(StorePrune, KeepsTheIdempotencyKeyThirtyDaysLonger) {
  const JobId id = succeeded({.idempotency_key = "once"});
  advance(days(8));
  prune();
  const EnqueuedJob answer = enqueued({.idempotency_key = "once"});
  EXPECT_EQ(answer.id, id);
  EXPECT_EQ(answer.status, Status::completed);
  EXPECT_FALSE(answer.fresh);
  EXPECT_FALSE(exists(id));
  EXPECT_EQ(catalog().find_idempotency_key("default", "once")->job, id);
}

TEST_P(StorePrune, ForgetsTheIdempotencyKeyInTheEnd) {
  const JobId id = succeeded({.idempotency_key = "once"});
  advance(days(8));
  prune();
  advance(days(31));
  prune();
  EXPECT_FALSE(catalog().find_idempotency_key("default", "once").ok());
  EXPECT_NE(enqueue({.idempotency_key = "once"}), id);
}

TEST_P(StorePrune, KeepsEveryKeyThatWasBoundToTheJob) {
  const JobId id = enqueue({.job_key = "k", .idempotency_key = "one"});
  enqueue({.job_key = "k", .idempotency_key = "two"});
  complete(claim_one());
  advance(days(8));
  prune();
  EXPECT_EQ(enqueue({.idempotency_key = "one"}), id);
  EXPECT_EQ(enqueue({.idempotency_key = "two"}), id);
}

TEST_P(StorePrune, TakesTheOldestFirstAndNoMoreThanTheLimit) {
  const JobId first = succeeded();
  advance(seconds(5));
  const JobId second = succeeded();
  advance(days(8));
  const Swept swept = prune(1);
  EXPECT_EQ(swept.count, 1);
  EXPECT_TRUE(swept.more);
  EXPECT_FALSE(exists(first));
  EXPECT_TRUE(exists(second));
}

TEST_P(StorePrune, ReturnsTheNextDueTime) {
  const JobId id = succeeded();
  EXPECT_EQ(prune().next, job(id).prune_after);
}

TEST_P(StorePrune, ForgetsMinutesAfterEightDaysAndWorkersAfterOne) {
  const Instant minute = Instant::millis(now().count() / 60'000 * 60'000);
  send(RecordMinutes{.rows = {{.minute = minute, .ns = "default", .queue = "q", .enqueued = 1}}});
  send(SeeWorkers{.workers = {{.ns = "default", .worker = "alice"}}});
  advance(days(1) - seconds(60));
  prune();
  EXPECT_EQ(catalog().workers("default")->size(), 1u);
  advance(seconds(120));
  prune();
  EXPECT_TRUE(catalog().workers("default")->empty());
  EXPECT_EQ(catalog().minutes("default", minute)->size(), 1u);
  advance(days(8));
  prune();
  EXPECT_TRUE(catalog().minutes("default", minute)->empty());
}

}  // namespace
}  // namespace longshore::conformance
