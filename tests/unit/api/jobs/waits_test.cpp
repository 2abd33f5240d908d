#include "api/jobs/waits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "core/ids/random.h"
#include "deadline.h"
#include "longshore/testing.h"
#include "must.h"

namespace longshore {
namespace {

// As if other nodes shared the store, which a memory store cannot: the catalog is polled.
class WaitsTest : public ::testing::Test {
 protected:
  JobId enqueue() {
    return must(harbour.client().enqueue({.type = "t", .payload = "1", .options = {}})).id;
  }
  std::int64_t version(const JobId& id) { return must(harbour.client().get(id)).job.version; }

  testing::Harbour harbour;
  ManualTime time{Instant::millis(1000)};
  Timers timers{time};
  ReadPool lanes{harbour.longshore().catalog(), {}};
  Waits waits{timers, lanes, true};
};

TEST_F(WaitsTest, ChecksOnceASecondForChangesByOtherNodes) {
  const JobId id = enqueue();
  std::promise<void> woken;
  waits.add("default", id, version(id), Instant::never(), [&] { woken.set_value(); });
  harbour.client().cancel(id).value();  // as if by another node
  time.advance(Duration::seconds(1));
  ASSERT_TRUE(comes(woken.get_future()));
  EXPECT_EQ(waits.waiting(), 0U);
}

TEST_F(WaitsTest, ChecksRepeatedly) {
  const JobId id = enqueue();
  std::promise<void> woken;
  waits.add("default", id, version(id), Instant::never(), [&] { woken.set_value(); });
  for (int i = 0; i < 3; ++i) {
    time.advance(Duration::seconds(1));
    std::promise<void> looked;
    ReadPool::Read marker = [&](Catalog&) { looked.set_value(); };
    lanes.push(ReadKind::point, marker);
    ASSERT_TRUE(comes(looked.get_future()));
  }
  EXPECT_EQ(waits.waiting(), 1U);
  harbour.client().cancel(id).value();
  std::future<void> done = woken.get_future();
  EXPECT_TRUE(eventually(
      [&] { return done.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready; },
      [&] { time.advance(Duration::seconds(1)); }));
}

TEST_F(WaitsTest, WakesOnTheCommitThatEndsTheJob) {
  const JobId id = enqueue();
  const JobId other = enqueue();
  int woken = 0;
  waits.add("default", id, 1, Instant::never(), [&] { woken += 1; });
  waits.add("default", id, 1, Instant::never(), [&] { woken += 1; });
  waits.add("default", other, 1, Instant::never(), [&] { woken += 100; });
  Committed committed;
  committed.events.push_back({.ns = "default", .job = id, .transition = {.to = State::running}});
  waits.on_commit(committed);
  EXPECT_EQ(woken, 0);
  committed.events.push_back({.ns = "default", .job = id, .transition = {.to = State::success}});
  waits.on_commit(committed);
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(waits.waiting(), 1U);
  waits.wake_all();
  EXPECT_EQ(woken, 102);
}

TEST_F(WaitsTest, WakesManyWaitersOffTheCommittingThread) {
  constexpr int crowd = 20'000;
  const JobId id = enqueue();
  std::promise<void> all;
  std::atomic<int> woken = 0;
  std::atomic<bool> here = false;
  const auto thread = std::this_thread::get_id();
  for (int i = 0; i < crowd; ++i) {
    waits.add("default", id, 1, Instant::never(), [&] {
      if (std::this_thread::get_id() == thread) here = true;
      if (++woken == crowd) all.set_value();
    });
  }
  Committed committed;
  committed.events.push_back({.ns = "default", .job = id, .transition = {.to = State::success}});
  waits.on_commit(committed);
  ASSERT_TRUE(comes(all.get_future()));
  EXPECT_FALSE(here);
  EXPECT_EQ(waits.waiting(), 0U);
}

TEST_F(WaitsTest, DoesNotWakeRemovedWaiters) {
  const Waits::Ticket ticket = waits.add("default", enqueue(), 1, Instant::never(), [] { FAIL(); });
  EXPECT_TRUE(waits.remove(ticket));
  EXPECT_FALSE(waits.remove(ticket));
  waits.wake_all();
}

TEST_F(WaitsTest, WakesWaitersAddedAfterTheStopAtOnce) {
  waits.wake_all();
  bool woken = false;
  waits.add("default", enqueue(), 1, Instant::never(), [&] { woken = true; });
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace longshore
