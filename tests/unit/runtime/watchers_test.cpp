#include "runtime/watchers.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>

#include "deadline.h"

namespace longshore {
namespace {

::testing::AssertionResult wakes(Alarm& alarm) {
  const std::future<void> woken = std::async(std::launch::async, [&alarm] { alarm.wait(); });
  ::testing::AssertionResult came = comes(woken);
  if (!came) alarm.wake_forever();
  return came;
}

TEST(Watchers, MayBeStoppedBeforeAnybodyWatchesAndTwice) {
  ManualTime time(Instant::millis(1'000'000));
  Watchers watchers;
  watchers.stop();
  watchers.stop();
  Alarm alarm(time);
  const Watchers::Watch watch(watchers, JobId{1, 2}, alarm);
  EXPECT_TRUE(wakes(alarm)) << "whoever comes late does not wait either";
}

TEST(Watchers, WakeWhoeverWatchesAJobThatEnds) {
  ManualTime time(Instant::millis(1'000'000));
  Watchers watchers;
  Alarm first(time);
  Alarm second(time);
  const Watchers::Watch one(watchers, JobId{1, 2}, first);
  const Watchers::Watch two(watchers, JobId{1, 2}, second);
  Committed committed;
  committed.events.push_back({.job = {1, 2}, .transition = {.to = State::success}});
  watchers.on_commit(committed);
  EXPECT_TRUE(wakes(first));
  EXPECT_TRUE(wakes(second));
}

TEST(Watchers, WakeThoseWhoStayWhenAnotherHasGone) {
  ManualTime time(Instant::millis(1'000'000));
  Watchers watchers;
  Alarm first(time);
  Alarm second(time);
  Alarm third(time);
  const Watchers::Watch one(watchers, JobId{1, 2}, first);
  std::optional<Watchers::Watch> two(std::in_place, watchers, JobId{1, 2}, second);
  const Watchers::Watch three(watchers, JobId{1, 2}, third);
  two.reset();
  Committed committed;
  committed.events.push_back({.job = {1, 2}, .transition = {.to = State::success}});
  watchers.on_commit(committed);
  EXPECT_TRUE(wakes(first));
  EXPECT_TRUE(wakes(third));
}

TEST(Watchers, WakeForAMoveOnlyThoseWhoWatchForMoves) {
  ManualTime time(Instant::millis(1'000'000));
  Watchers watchers;
  Alarm moves(time);
  Alarm end(time);
  const Watchers::Watch one(watchers, JobId{1, 2}, moves, Watchers::Until::move);
  const Watchers::Watch two(watchers, JobId{1, 2}, end, Watchers::Until::end);
  Committed committed;
  committed.events.push_back({.job = {1, 2}, .transition = {.to = State::running}});
  watchers.on_commit(committed);
  EXPECT_TRUE(wakes(moves));
  committed.events[0].transition.to = State::success;
  watchers.on_commit(committed);
  EXPECT_TRUE(wakes(end));
}

}  // namespace
}  // namespace longshore
