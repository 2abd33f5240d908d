#include "runtime/watchers.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(Watchers, MayBeStoppedBeforeAnybodyWatchesAndTwice) {
  ManualTime time(Instant::millis(1'000'000));
  Watchers watchers;
  watchers.stop();
  watchers.stop();
  Alarm alarm(time);
  const Watchers::Watch watch(watchers, JobId{1, 2}, alarm);
  alarm.wait();  // rung already: whoever comes late does not wait either
}

TEST(Watchers, WakeWhoeverWatchesAJobThatEnds) {
  ManualTime time(Instant::millis(1'000'000));
  Watchers watchers;
  Alarm first(time);
  Alarm second(time);
  const Watchers::Watch one(watchers, JobId{1, 2}, first);
  const Watchers::Watch two(watchers, JobId{1, 2}, second);
  Committed committed;
  committed.happened.push_back({.job = {1, 2}, .transition = {.to = State::success}});
  watchers.look_at(committed);
  first.wait();
  second.wait();
}

TEST(Watchers, WakeForAMoveOnlyThoseWhoWatchForMoves) {
  ManualTime time(Instant::millis(1'000'000));
  Watchers watchers;
  Alarm moves(time);
  Alarm end(time);
  const Watchers::Watch one(watchers, JobId{1, 2}, moves, Watchers::Until::move);
  const Watchers::Watch two(watchers, JobId{1, 2}, end, Watchers::Until::end);
  Committed committed;
  committed.happened.push_back({.job = {1, 2}, .transition = {.to = State::running}});
  watchers.look_at(committed);
  moves.wait();
  committed.happened[0].transition.to = State::success;
  watchers.look_at(committed);
  end.wait();
}

}  // namespace
}  // namespace longshore
