// Due: jobs whose runAt has passed.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreDue : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreDue, every_store(), store_name);

TEST_P(StoreDue, QueuesAScheduledJobWhenItsTimeHasComeAndNotBefore) {
  const JobId id = enqueue({.delay = seconds(10)});
  advance(seconds(9));
  EXPECT_EQ(due().count, 0);
  expect_state(id, State::scheduled);
  advance(seconds(2));
  EXPECT_EQ(due().count, 1);
  EXPECT_EQ(causes(id), "enqueue accept due");
}

TEST_P(StoreDue, QueuesAJobAtTheVeryMomentOfItsTime) {
  const JobId id = enqueue({.delay = seconds(10)});
  // Without an injected clock only the end can be met: the store's time may be a little further.
  if (store().capabilities().injected_clock) {
    advance(job(id).run_at - now() - Duration::millis(1));
    EXPECT_EQ(due().count, 0);
    advance(Duration::millis(1));
    EXPECT_EQ(now(), job(id).run_at);
  } else {
    advance(job(id).run_at - now());
  }
  EXPECT_EQ(due().count, 1);
}

TEST_P(StoreDue, QueuesAJobThatHasBackedOff) {
  const JobId id = retrying();
  advance(seconds(59));
  EXPECT_EQ(due().count, 0);
  advance(seconds(2));
  EXPECT_EQ(due().count, 1);
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreDue, ReturnsTheNextDueTime) {
  EXPECT_FALSE(due().next);
  const JobId far = enqueue({.delay = seconds(100)});
  const JobId near = enqueue({.delay = seconds(10)});
  EXPECT_EQ(due().next, job(near).run_at);
  advance(seconds(11));
  EXPECT_EQ(due().next, job(far).run_at);
}

TEST_P(StoreDue, TakesTheOldestTimeFirstAndNoMoreThanTheLimit) {
  const JobId late = enqueue({.delay = seconds(3)});
  const JobId early = enqueue({.delay = seconds(1)});
  const JobId middle = enqueue({.delay = seconds(2)});
  advance(seconds(10));
  const Swept first = due(2);
  EXPECT_EQ(first.count, 2);
  EXPECT_TRUE(first.more);
  expect_state(late, State::scheduled);
  const Swept rest = due(2);
  EXPECT_EQ(rest.count, 1);
  EXPECT_EQ(claimed(), (std::vector<JobId>{early, middle, late}));
}

TEST_P(StoreDue, WorksAcrossNamespaces) {
  const JobId there = enqueue_in("other", {.delay = seconds(1)});
  advance(seconds(2));
  EXPECT_EQ(due().count, 1);
  EXPECT_EQ(catalog().glance("other", there)->state, State::queued);
}

TEST_P(StoreDue, WithdrawsAJobThatExpiredWhileItWaited) {
  const JobId id = enqueue({.delay = seconds(5), .expires_at = now() + seconds(6)});
  advance(seconds(7));
  due();
  expect_path(id, "CREATED SCHEDULED CANCELED");
  expect_error(id, "EXPIRED");
}

TEST_P(StoreDue, DoesNothingTheSecondTime) {
  enqueue({.delay = seconds(1)});
  advance(seconds(2));
  due();
  const auto before = dump();
  const Swept again = due();
  EXPECT_EQ(again.count, 0);
  EXPECT_FALSE(again.more);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreDue, RefusesALimitBelowOne) {
  expect_refused(send(Due{.limit = 0}), Code::invalid_field);
}

}  // namespace
}  // namespace longshore::conformance
