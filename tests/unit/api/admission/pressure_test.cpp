#include "api/admission/pressure.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

Instant at(std::int64_t millis) { return Instant::millis(1'000'000 + millis); }

Committed commit_of(std::size_t jobs) {
  Committed committed;
  committed.verdicts.assign(jobs, Done{});
  return committed;
}

TEST(Pressure, RefusesNothingBeforeTheRateIsMeasured) {
  Pressure pressure({.waiting_max = 2'000'000});
  EXPECT_FALSE(pressure.refuses(Load::listing, 1'000'000).has_value());
  pressure.note(commit_of(1), at(0), 0);
  pressure.note(commit_of(1), at(60'000), 0);
  EXPECT_FALSE(pressure.refuses(Load::listing, 1'000'000).has_value());
  EXPECT_EQ(pressure.retry_after(1'000'000), 1);
}

TEST(Pressure, RefusesByLoadWhenTheQueueGrows) {
  Pressure pressure({});
  pressure.note(commit_of(100), at(0), 50);
  pressure.note(commit_of(100), at(50), 50);
  pressure.note(commit_of(100), at(100), 0);  // 200 in 0.1 s
  EXPECT_DOUBLE_EQ(pressure.jobs_per_second(), 2000);
  struct Case {
    std::size_t waiting;
    bool listing, enqueue, lease;
  };
  for (const Case& one : {Case{999, false, false, false}, Case{1100, true, false, false},
                          Case{2100, true, true, false}, Case{4100, true, true, true}}) {
    SCOPED_TRACE(one.waiting);
    EXPECT_EQ(pressure.refuses(Load::listing, one.waiting).has_value(), one.listing);
    EXPECT_EQ(pressure.refuses(Load::enqueue, one.waiting).has_value(), one.enqueue);
    EXPECT_EQ(pressure.refuses(Load::lease, one.waiting).has_value(), one.lease);
    EXPECT_FALSE(pressure.refuses(Load::vital, one.waiting).has_value());
  }
  EXPECT_EQ(pressure.refuses(Load::enqueue, 9000), 5);
  EXPECT_EQ(pressure.refuses(Load::enqueue, 9'000'000), 60);
}

TEST(Pressure, RefusesRequestsBeforeTheQueueIsFull) {
  Pressure pressure({.waiting_max = 5000});
  EXPECT_FALSE(pressure.refuses(Load::enqueue, 5000).has_value());
  EXPECT_EQ(pressure.refuses(Load::enqueue, 5001), 1);
  EXPECT_EQ(pressure.refuses(Load::listing, 5001), 1);
  EXPECT_FALSE(pressure.refuses(Load::lease, 5001).has_value());
  EXPECT_FALSE(pressure.refuses(Load::vital, 5001).has_value());
}

TEST(Pressure, IgnoresIdleTime) {
  Pressure pressure({});
  pressure.note(commit_of(1), at(0), 0);
  pressure.note(commit_of(1), at(5000), 10);
  pressure.note(commit_of(100), at(5100), 0);
  EXPECT_DOUBLE_EQ(pressure.jobs_per_second(), 1000);
}

TEST(Pressure, CountsTheJobsOfABatch) {
  Pressure pressure({});
  Committed batch;
  batch.verdicts.emplace_back(std::in_place_type<Enqueued>, std::vector<EnqueuedJob>(500));
  pressure.note(commit_of(1), at(0), 1);
  pressure.note(batch, at(100), 0);
  EXPECT_DOUBLE_EQ(pressure.jobs_per_second(), 5000);
}

TEST(Pressure, RefusesNothingWhileFewCommandsWait) {
  Pressure pressure({});
  pressure.note(commit_of(1), at(0), 1);
  pressure.note(commit_of(1), at(1000), 0);
  EXPECT_FALSE(pressure.refuses(Load::listing, 255).has_value());
  EXPECT_TRUE(pressure.refuses(Load::listing, 256).has_value());
}

}  // namespace
}  // namespace longshore
