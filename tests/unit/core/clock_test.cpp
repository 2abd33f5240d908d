#include "core/clock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace longshore {
namespace {

Instant at(std::int64_t millis) { return Instant::millis(millis); }

TEST(ManualClock, StandsStillUntilMoved) {
  ManualClock clock(at(1000));
  EXPECT_EQ(clock.now(), at(1000));
  EXPECT_EQ(clock.now(), at(1000));
  clock.advance(Duration::millis(5));
  EXPECT_EQ(clock.now(), at(1005));
  clock.set(at(7));
  EXPECT_EQ(clock.now(), at(7));
}

TEST(ManualClock, MayBeMovedBackwards) {
  ManualClock clock(at(1000));
  clock.advance(Duration::millis(-400));
  EXPECT_EQ(clock.now(), at(600));
}

TEST(ManualClock, LosesNoStepThatThreadsTakeAtOnce) {
  ManualClock clock;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&clock] {
        for (int i = 0; i < 1000; ++i) clock.advance(Duration::millis(1));
      });
    }
  }
  EXPECT_EQ(clock.now(), at(4000));
}

TEST(SystemClock, TellsAPlausibleTimeInMilliseconds) {
  SystemClock clock;
  const Instant now = clock.now();
  EXPECT_GT(now, at(1'700'000'000'000));
  EXPECT_LT(now, at(7'000'000'000'000));
}

TEST(MonotonicClock, FollowsForwardsAndRefusesToGoBack) {
  ManualClock wall(at(1000));
  MonotonicClock clock(wall, Instant());
  EXPECT_EQ(clock.now(), at(1000));
  wall.set(at(400));
  EXPECT_EQ(clock.now(), at(1000));
  wall.set(at(1001));
  EXPECT_EQ(clock.now(), at(1001));
}

TEST(MonotonicClock, NeverAnswersLessThanItsFloor) {
  ManualClock wall(at(1000));
  MonotonicClock clock(wall, at(5000));
  EXPECT_EQ(clock.now(), at(5000));
  wall.set(at(5001));
  EXPECT_EQ(clock.now(), at(5001));
}

TEST(MonotonicClock, RemembersTheHighestAnswerWithoutLookingAgain) {
  ManualClock wall(at(1000));
  MonotonicClock clock(wall, at(300));
  EXPECT_EQ(clock.highest(), at(300));
  EXPECT_EQ(clock.now(), at(1000));
  wall.set(at(2000));
  EXPECT_EQ(clock.highest(), at(1000));
}

TEST(MonotonicClock, GoesBackForNoThreadWhileItsSourceJumps) {
  ManualClock wall(at(1'000'000));
  MonotonicClock clock(wall, Instant());
  std::vector<std::jthread> threads;
  std::atomic<int> backward = 0;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      Instant last;
      for (int i = 0; i < 2000; ++i) {
        const Instant now = clock.now();
        if (now < last) ++backward;
        last = now;
      }
    });
  }
  for (int i = 0; i < 2000; ++i) wall.advance(Duration::millis(i % 3 == 0 ? -50 : 30));
  threads.clear();
  EXPECT_EQ(backward, 0);
  EXPECT_GE(clock.highest(), at(1'000'000));
}

}  // namespace
}  // namespace longshore
