// Fail: counted failures, back-off, and permanent failures.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreFail : public StoreTest {
 protected:
  // Without jitter, so that delays are exact.
  NewJob exact(int max_retries = 3) {
    NewJob job = with_defaults({});
    job.policy.max_retries = max_retries;
    job.policy.backoff.jitter = 0;
    return job;
  }
  Duration wait_of(const JobId& id) { return job(id).run_at - job(id).updated_at; }
  Lease next_attempt(const JobId& id) {
    advance(wait_of(id) + Duration::millis(1));
    due();
    const Lease lease = claim_one();
    EXPECT_EQ(lease.job, id);
    return lease;
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreFail, every_store(), store_name);

TEST_P(StoreFail, WaitsInRetryForItsBackOff) {
  const Lease lease = running(exact());
  expect_status(fail(lease), Status::pending);
  expect_path(lease.job, "CREATED QUEUED RUNNING RETRY");
  EXPECT_EQ(wait_of(lease.job), seconds(2));
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreFail, WaitsTwiceAsLongAfterEachFailure) {
  Lease lease = running(exact(6));
  for (const int wait : {2, 4, 8, 16, 32, 64}) {
    fail(lease);
    EXPECT_EQ(wait_of(lease.job), seconds(wait));
    lease = next_attempt(lease.job);
  }
}

TEST_P(StoreFail, SpreadsTheWaitByTenPerCent) {
  for (int i = 0; i < 20; ++i) {
    const Lease lease = running();
    fail(lease);
    EXPECT_GE(wait_of(lease.job), Duration::millis(1800));
    EXPECT_LE(wait_of(lease.job), Duration::millis(2200));
  }
}

TEST_P(StoreFail, WaitsNoLongerThanTheCap) {
  NewJob wanted = exact(100);
  wanted.policy.backoff.base = seconds(3000);
  Lease lease = running(wanted);
  fail(lease);
  EXPECT_EQ(wait_of(lease.job), seconds(3000));
  lease = next_attempt(lease.job);
  fail(lease);
  EXPECT_EQ(wait_of(lease.job), seconds(3600));
}

TEST_P(StoreFail, WaitsAFixedTimeWhenThePolicySaysSo) {
  NewJob wanted = exact();
  wanted.policy.backoff.kind = Backoff::Kind::fixed;
  wanted.policy.backoff.base = seconds(7);
  Lease lease = running(wanted);
  fail(lease);
  EXPECT_EQ(wait_of(lease.job), seconds(7));
  lease = next_attempt(lease.job);
  fail(lease);
  EXPECT_EQ(wait_of(lease.job), seconds(7));
}

TEST_P(StoreFail, IsQueuedAtOnceWithoutBackOff) {
  NewJob wanted = exact();
  wanted.policy.backoff.kind = Backoff::Kind::none;
  const Lease lease = running(wanted);
  fail(lease);
  expect_path(lease.job, "CREATED QUEUED RUNNING RETRY QUEUED");
  EXPECT_EQ(claim_one().job, lease.job);
}

TEST_P(StoreFail, WaitsAsLongAsTheWorkerAsks) {
  const Lease lease = running(exact());
  fail(lease, {.retry_after = days(30)});
  EXPECT_EQ(wait_of(lease.job), days(30));
}

TEST_P(StoreFail, RefusesToWaitLongerThanThirtyDays) {
  const Lease lease = running();
  expect_refused(fail(lease, {.retry_after = days(30) + seconds(1)}), Code::invalid_field);
  expect_refused(fail(lease, {.retry_after = Duration::millis(-1)}), Code::invalid_field);
  expect_state(lease.job, State::running);
}

TEST_P(StoreFail, StartsAtMostMaxRetriesPlusOneTimes) {
  Lease lease = running(exact(3));
  for (int i = 0; i < 3; ++i) {
    expect_status(fail(lease), Status::pending);
    lease = next_attempt(lease.job);
  }
  expect_status(fail(lease), Status::failed);
  expect_state(lease.job, State::dead);
  EXPECT_EQ(job(lease.job).attempt, 4);
  EXPECT_EQ(job(lease.job).failures, 4);
  EXPECT_EQ(job(lease.job).retry_count, 3);
}

TEST_P(StoreFail, DiesAtOnceWithoutRetries) {
  const Lease lease = running(exact(0));
  expect_status(fail(lease), Status::failed);
  expect_path(lease.job, "CREATED QUEUED RUNNING RETRY DEAD");
  EXPECT_EQ(causes(lease.job), "enqueue accept claim fail limitExceeded");
}

TEST_P(StoreFail, DiesAtOnceWhenTheErrorIsFatal) {
  const Lease lease = running();
  expect_status(fail(lease, {.retryable = false}), Status::failed);
  EXPECT_EQ(causes(lease.job), "enqueue accept claim fail fatal");
  EXPECT_EQ(job(lease.job).failures, 1);
  EXPECT_EQ(job(lease.job).retry_count, 0);
}

TEST_P(StoreFail, KeepsTheLatestErrorAndListsAll) {
  const JobError first{.code = "A", .message = "one", .details = R"({"x":1})"};
  const JobError second{.code = "B", .message = "two"};
  Lease lease = running(exact());
  fail(lease, {.error = first});
  lease = next_attempt(lease.job);
  fail(lease, {.error = second});
  const JobRecord kept = record(lease.job);
  EXPECT_EQ(kept.error, second);
  ASSERT_EQ(kept.errors.size(), 2u);
  EXPECT_EQ(kept.errors[0].error, first);
  EXPECT_EQ(kept.errors[0].attempt, 1);
  EXPECT_EQ(kept.errors[1].error, second);
  EXPECT_EQ(kept.errors[1].attempt, 2);
  EXPECT_EQ(kept.errors[1].at, kept.job.updated_at);
}

TEST_P(StoreFail, ListsTheNewestHundredAndTwentyEightErrors) {
  Rules rules;
  rules.terminal = Rules::Terminal::reopen;
  under(rules);
  NewJob wanted = exact(100);
  wanted.policy.backoff.kind = Backoff::Kind::none;
  Lease lease = running(wanted);
  for (int i = 1; i <= 130; ++i) {
    fail(lease, {.error = {.code = "E" + std::to_string(i), .message = "m"}});
    if (job(lease.job).state == State::dead) redrive(lease.job);
    lease = claim_one();
  }
  const auto errors = record(lease.job).errors;
  ASSERT_EQ(errors.size(), 128u);
  EXPECT_EQ(errors.front().error.code, "E3");
  EXPECT_EQ(errors.back().error.code, "E130");
}

TEST_P(StoreFail, CutsAMessageAtEightKibibytes) {
  const Lease lease = running();
  fail(lease, {.error = {.code = "BIG", .message = std::string(20'000, 'm')}});
  EXPECT_EQ(record(lease.job).error->message.size(), 8u * 1024);
}

TEST_P(StoreFail, RefusesThePlatformsErrorCodes) {
  const Lease lease = running();
  for (const char* word : {"TIMEOUT", "LEASE_LOST", "RELEASED", "POISON", "EXPIRED"}) {
    SCOPED_TRACE(word);
    expect_refused(fail(lease, {.error = {.code = word, .message = "m"}}), Code::invalid_field);
  }
  expect_state(lease.job, State::running);
}

TEST_P(StoreFail, EndsCanceledWithTheCodeCanceled) {
  const Lease lease = running();
  expect_status(fail(lease, {.error = {.code = "CANCELED", .message = "stopped"}}),
                Status::canceled);
  expect_path(lease.job, "CREATED QUEUED RUNNING CANCELED");
  expect_error(lease.job, "CANCELED");
  EXPECT_EQ(job(lease.job).failures, 0);
}

TEST_P(StoreFail, DoesNotCountAMissingHandlerAndDelaysFiveSeconds) {
  const Lease lease = running(exact(0));
  expect_status(fail(lease, {.error = {.code = "NO_HANDLER", .message = "none"}}), Status::pending);
  EXPECT_EQ(wait_of(lease.job), seconds(5));
  EXPECT_EQ(job(lease.job).failures, 0);
  EXPECT_EQ(job(lease.job).retry_count, 0);
  EXPECT_EQ(job(lease.job).attempt, 1);
}

TEST_P(StoreFail, EndsCanceledWhenACancelWasRequested) {
  const Lease lease = running();
  cancel(lease.job);
  expect_status(fail(lease), Status::canceled);
  expect_error(lease.job, "CANCELED");
}

TEST_P(StoreFail, IsRefusedOnceTheLeaseHasEnded) {
  const Lease lease = running();
  advance(seconds(30));
  expect_refused_without_effect(Fail{.ns = "default",
                                     .job = lease.job,
                                     .token = lease.token,
                                     .error = {.code = "A", .message = "m"}},
                                Code::lease_lost);
}

TEST_P(StoreFail, AnswersAsBeforeWhenRepeatedUntilTheNextClaim) {
  const Lease lease = running(exact());
  const Verdict first = fail(lease);
  const auto before = dump();
  EXPECT_EQ(as<Settled>(fail(lease)), as<Settled>(first));
  EXPECT_TRUE(dump() == before);
  const Lease second = next_attempt(lease.job);
  expect_refused(fail(lease), Code::lease_lost);
  expect_status(complete(second), Status::completed);
}

TEST_P(StoreFail, RefusesAnotherOutcomeFromTheSameToken) {
  const Lease lease = running();
  fail(lease);
  expect_refused(complete(lease), Code::already_settled);
  expect_refused(fail(lease, {.error = {.code = "OTHER", .message = "m"}}), Code::already_settled);
  expect_refused(fail(lease, {.retryable = false}), Code::already_settled);
}

TEST_P(StoreFail, LetsAWaitingJobFailByItsToken) {
  const Lease lease = waiting(exact());
  expect_status(fail(lease), Status::pending);
  expect_path(lease.job, "CREATED QUEUED RUNNING WAITING RETRY");
}

TEST_P(StoreFail, WithdrawsARetryThatExpiredMeanwhile) {
  NewJob wanted = exact();
  wanted.expires_at = now() + seconds(60);
  const Lease lease = running(wanted);
  fail(lease, {.retry_after = seconds(100)});
  advance(seconds(101));
  due();
  expect_state(lease.job, State::canceled);
  expect_error(lease.job, "EXPIRED");
}

}  // namespace
}  // namespace longshore::conformance
