// Pause: an operator stops claims of a queue.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StorePause : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StorePause, every_store(), store_name);

TEST_P(StorePause, HoldsClaimsBackButNotEnqueues) {
  pause("default");
  expect_state(enqueue(), State::queued);
  EXPECT_TRUE(claim().empty());
  EXPECT_TRUE(queue().paused);
}

TEST_P(StorePause, LetsRunningJobsContinue) {
  const Lease lease = running();
  pause("default");
  as<Beaten>(heartbeat(lease));
  expect_status(complete(lease), Status::completed);
}

TEST_P(StorePause, AnswersARepeatedClaimAlsoOfAPausedQueue) {
  enqueue();
  const Claim same = asking({});
  const Lease lease = claim_one(same);
  pause("default");
  EXPECT_EQ(claim_one(same).token, lease.token);
}

TEST_P(StorePause, EndsWithAResume) {
  pause("default");
  const JobId id = enqueue();
  pause("default", false);
  EXPECT_EQ(claim_one().job, id);
  EXPECT_FALSE(queue().paused);
}

TEST_P(StorePause, HoldsForAQueueThatDoesNotExistYet) {
  pause("tomorrow");
  enqueue({.queue = "tomorrow"});
  EXPECT_TRUE(claim({.queues = {"tomorrow"}}).empty());
}

TEST_P(StorePause, ConcernsOneNamespaceOnly) {
  pause("default");
  enqueue_in("other");
  EXPECT_EQ(claim({.ns = "other"}).size(), 1u);
}

TEST_P(StorePause, IsNotEndedByAResumeInAnotherNamespace) {
  pause("default");
  send(PauseQueue{.ns = "other", .queue = "default", .actor = ops_});
  enqueue();
  enqueue_in("other");
  pause("default", false);
  EXPECT_EQ(claim().size(), 1u);
  EXPECT_TRUE(claim({.ns = "other"}).empty());
  // A node caches pauses; another node that opens the store shows what is stored.
  ASSERT_TRUE(harness().reopen().ok());
  EXPECT_TRUE(claim({.ns = "other"}).empty());
}

TEST_P(StorePause, SurvivesANewConfiguration) {
  pause("default");
  send(Configure{});
  enqueue();
  EXPECT_TRUE(claim().empty());
}

TEST_P(StorePause, DoesNotKeepTimeFromPassing) {
  pause("default");
  const JobId scheduled = enqueue({.delay = seconds(5)});
  const JobId expiring = enqueue({.expires_at = now() + seconds(5)});
  advance(seconds(6));
  tick();
  expect_state(scheduled, State::queued);
  expect_state(expiring, State::canceled);
}

}  // namespace
}  // namespace longshore::conformance
