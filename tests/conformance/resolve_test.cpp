// Resolve: an operator finishes a job without running it.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreResolve : public StoreTest {
 protected:
  const Outcome broken_{.error = {.code = "BY_HAND", .message = "given up"}};
};
INSTANTIATE_TEST_SUITE_P(, StoreResolve, every_store(), store_name);

TEST_P(StoreResolve, FinishesAQueuedJobThroughRunningAsSystem) {
  const JobId id = enqueue();
  expect_status(resolve(id, {.result = "42"}), Status::completed);
  expect_path(id, "CREATED QUEUED RUNNING SUCCESS");
  EXPECT_EQ(record(id).history[2].worker, "system");
  EXPECT_EQ(record(id).result, "42");
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreResolve, FinishesEveryStateThatIsNotTerminal) {
  const std::vector<JobId> ids = {retrying(), running().job, waiting().job,
                                  enqueue({.delay = days(1)})};
  for (const JobId& id : ids) {
    SCOPED_TRACE(to_text(job(id).state));
    expect_status(resolve(id, {.result = "1"}), Status::completed);
    expect_state(id, State::success);
  }
}

TEST_P(StoreResolve, FailsForGoodWhateverRetriesAreLeft) {
  const JobId id = enqueue();
  expect_status(resolve(id, broken_), Status::failed);
  expect_path(id, "CREATED QUEUED RUNNING RETRY DEAD");
  expect_error(id, "BY_HAND");
}

TEST_P(StoreResolve, IsFinalAlsoWithACodeThatWorkersAreForgiven) {
  const JobId id = enqueue({.job_key = "k"});
  expect_status(resolve(id, {.error = {.code = "NO_HANDLER", .message = "none"}}), Status::failed);
  expect_state(id, State::dead);
  EXPECT_NE(enqueue({.job_key = "k", .on_conflict = OnConflict::replace}), id);
}

TEST_P(StoreResolve, OverridesARequestedCancel) {
  const Lease lease = running();
  cancel(lease.job);
  expect_status(resolve(lease.job, {.result = "1"}), Status::completed);
}

TEST_P(StoreResolve, IsNoAttempt) {
  const JobId id = enqueue();
  resolve(id, {.result = "1"});
  EXPECT_EQ(job(id).attempt, 0);
  EXPECT_EQ(job(id).epoch, 1);
}

TEST_P(StoreResolve, TakesTheJobFromItsWorker) {
  const Lease lease = running();
  resolve(lease.job, {.result = "1"});
  expect_refused(complete(lease, "2"), Code::lease_lost);
  EXPECT_EQ(record(lease.job).result, "1");
}

TEST_P(StoreResolve, IsRefusedForAJobThatEnded) {
  expect_refused(resolve(succeeded(), {.result = "1"}), Code::terminal);
  expect_refused(resolve(dead(), {.result = "1"}), Code::terminal);
  expect_refused(resolve(canceled(), {.result = "1"}), Code::terminal);
}

TEST_P(StoreResolve, AnswersAsBeforeWhenRepeated) {
  const Resolve same{.id = new_request(),
                     .ns = "default",
                     .job = enqueue(),
                     .outcome = {.result = "1"},
                     .actor = ops_};
  expect_status(send(same), Status::completed);
  const auto before = dump();
  expect_status(send(same), Status::completed);
  EXPECT_TRUE(dump() == before);
  EXPECT_EQ(trail().size(), 1u);
}

TEST_P(StoreResolve, RefusesThePlatformsErrorCodes) {
  const JobId id = enqueue();
  expect_refused(resolve(id, {.error = {.code = "POISON", .message = "m"}}), Code::invalid_field);
  expect_state(id, State::queued);
}

TEST_P(StoreResolve, IsRefusedForAnUnknownJob) {
  expect_refused(resolve(new_id(), {.result = "1"}), Code::not_found);
}

}  // namespace
}  // namespace longshore::conformance
