// Promote: run a waiting job now.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StorePromote : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StorePromote, every_store(), store_name);

TEST_P(StorePromote, QueuesAScheduledJob) {
  const JobId id = enqueue({.delay = days(1)});
  expect_status(promote(id), Status::pending);
  EXPECT_EQ(causes(id), "enqueue accept promote");
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StorePromote, QueuesAJobThatBacksOff) {
  const JobId id = retrying();
  promote(id);
  expect_state(id, State::queued);
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StorePromote, PutsTheJobAtTheBack) {
  const JobId later = enqueue({.delay = days(1)});
  const JobId first = enqueue();
  promote(later);
  EXPECT_EQ(claimed(), (std::vector<JobId>{first, later}));
}

TEST_P(StorePromote, AnswersAQueuedJobAsDone) {
  const JobId id = enqueue();
  const auto before = dump();
  expect_status(promote(id), Status::pending);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StorePromote, IsRefusedForAJobThatStarted) {
  expect_refused(promote(running().job), Code::wrong_state);
  expect_refused(promote(waiting().job), Code::wrong_state);
}

TEST_P(StorePromote, IsRefusedForAJobThatEnded) {
  expect_refused(promote(succeeded()), Code::terminal);
  expect_refused(promote(dead()), Code::terminal);
  expect_refused(promote(canceled()), Code::terminal);
}

TEST_P(StorePromote, IsRefusedForAnUnknownJob) {
  expect_refused(promote(new_id()), Code::not_found);
}

TEST_P(StorePromote, IsNotUndoneByTheOldTime) {
  const JobId id = enqueue({.delay = seconds(10)});
  promote(id);
  const Lease lease = claim_one();
  advance(seconds(11));
  EXPECT_EQ(due().count, 0);
  expect_status(complete(lease), Status::completed);
  EXPECT_EQ(job(id).epoch, 1);
}

}  // namespace
}  // namespace longshore::conformance
