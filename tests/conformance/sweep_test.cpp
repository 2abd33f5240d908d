// Sweep: expired, unaccepted and stuck jobs.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreSweep : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreSweep, every_store(), store_name);

TEST_P(StoreSweep, WithdrawsExpiredJobsThatHaveNotStarted) {
  const Instant soon = now() + seconds(50);
  NewJob again = with_defaults({.expires_at = soon});
  const JobId retry = retrying(again);
  const JobId queued = enqueue({.expires_at = soon});
  const JobId scheduled = enqueue({.delay = seconds(40), .expires_at = soon});
  advance(seconds(51));
  EXPECT_EQ(sweep().count, 3);
  for (const JobId& id : {queued, scheduled, retry}) {
    expect_state(id, State::canceled);
    expect_error(id, "EXPIRED");
    EXPECT_EQ(record(id).history.back().cause, Cause::expired);
  }
}

TEST_P(StoreSweep, LeavesAStartedAttemptAlone) {
  const Lease lease = running({.expires_at = now() + seconds(10)});
  const Lease waits = waiting({.expires_at = now() + seconds(10)});
  advance(seconds(11));
  EXPECT_EQ(sweep().count, 0);
  expect_status(complete(lease), Status::completed);
  expect_status(complete(waits), Status::completed);
}

TEST_P(StoreSweep, LeavesJobsAloneThatHaveNotExpired) {
  const JobId id = enqueue({.expires_at = now() + seconds(100)});
  advance(seconds(50));
  EXPECT_EQ(sweep().count, 0);
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreSweep, FindsNothingToRepairInASoundStore) {
  for (int i = 0; i < 5; ++i) enqueue();
  advance(seconds(61));
  EXPECT_TRUE(sweep().repaired.empty());
}

TEST_P(StoreSweep, TakesNoMoreThanTheLimit) {
  for (int i = 0; i < 3; ++i) enqueue({.expires_at = now() + seconds(10)});
  advance(seconds(11));
  const Swept first = sweep(2);
  EXPECT_EQ(first.count, 2);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(sweep(2).count, 1);
  EXPECT_EQ(sweep(2).count, 0);
}

TEST_P(StoreSweep, SaysWhenTheNextJobExpires) {
  EXPECT_FALSE(sweep().next);
  const JobId id = enqueue({.expires_at = now() + seconds(100)});
  EXPECT_EQ(sweep().next, job(id).expires_at);
}

TEST_P(StoreSweep, WorksAcrossNamespaces) {
  const JobId there = enqueue_in("other", {.expires_at = now() + seconds(10)});
  advance(seconds(11));
  EXPECT_EQ(sweep().count, 1);
  EXPECT_EQ(catalog().glance("other", there)->state, State::canceled);
}

}  // namespace
}  // namespace longshore::conformance
