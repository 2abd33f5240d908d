#include "core/time/clock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace longshore {
namespace {

Instant at(std::int64_t millis) { return Instant::millis(millis); }

TEST(ManualClock, DoesNotMoveByItself) {
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

TEST(SystemClock, CountsTimeThatPasses) {
  SystemClock clock;
  const Duration before = clock.steady();
  EXPECT_GT(before, Duration());
  EXPECT_GE(clock.steady(), before);
}

TEST(ManualClock, LetsNoTimePassWhenItIsSet) {
  ManualClock clock(at(1000));
  clock.step(Duration::hours(1));
  clock.step(Duration::hours(-2));
  EXPECT_EQ(clock.steady(), Duration());
  clock.advance(Duration::seconds(3));
  EXPECT_EQ(clock.steady(), Duration::seconds(3));
}

}  // namespace
}  // namespace longshore
