#include "core/time/store_time.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace longshore {
namespace {

constexpr Instant clock_start = Instant::millis(1'800'000'000'000);

class MonotonicClockTest : public testing::Test {
 protected:
  MonotonicClockTest() {
    clock_.time().listen([this](const std::string& how) { heard_.push_back(how); });
  }
  // As many looks at the clock as a store takes in that time.
  void pass(Duration by) {
    for (Duration passed; passed < by; passed += Duration::seconds(1)) {
      wall_.advance(std::min(Duration::seconds(1), by - passed));
      clock_.now();
    }
  }

  ManualClock wall_{clock_start};
  MonotonicClock clock_{wall_, {.highest = clock_start - Duration::minutes(1), .stepped_at = {}}};
  std::vector<std::string> heard_;
};

TEST_F(MonotonicClockTest, FollowsItsClock) {
  EXPECT_EQ(clock_.now(), clock_start);
  pass(Duration::hours(3));
  EXPECT_EQ(clock_.now(), clock_start + Duration::hours(3));
  EXPECT_EQ(clock_.time().prune_by(), clock_.highest());
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(clock_.time().report().alarm, "");
}

TEST_F(MonotonicClockTest, RemembersTheHighestAnswerWithoutLookingAgain) {
  EXPECT_EQ(clock_.highest(), clock_start - Duration::minutes(1));
  clock_.now();
  wall_.advance(Duration::seconds(5));
  EXPECT_EQ(clock_.highest(), clock_start);
}

TEST_F(MonotonicClockTest, WaitsForAClockThatIsHardlyBehind) {
  clock_.now();
  wall_.step(Duration::millis(-900));
  EXPECT_EQ(clock_.now(), clock_start);
  wall_.advance(Duration::seconds(1));
  EXPECT_EQ(clock_.now(), clock_start + Duration::millis(100));
  EXPECT_TRUE(heard_.empty());
}

TEST_F(MonotonicClockTest, ContinuesWhileItsClockIsBehind) {
  clock_.now();
  wall_.step(Duration::hours(-1));
  EXPECT_EQ(clock_.now(), clock_start);
  pass(Duration::minutes(10));
  EXPECT_EQ(clock_.now(), clock_start + Duration::minutes(10) - Duration::millis(600));
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_NE(heard_[0].find("stepped back by 1 h"), std::string::npos) << heard_[0];
  const ClockReport report = clock_.time().report();
  EXPECT_EQ(report.steps_back, 1);
  EXPECT_EQ(report.ahead, Duration::hours(1) - Duration::millis(600));
  EXPECT_NE(report.alarm.find("59 min 59 s ahead"), std::string::npos) << report.alarm;
}

TEST_F(MonotonicClockTest, MeetsItsClockAgain) {
  clock_.now();
  wall_.step(Duration::seconds(-20));
  pass(Duration::hours(6));
  EXPECT_EQ(clock_.now(), wall_.now() + Duration::millis(0));
  EXPECT_EQ(clock_.time().report().alarm, "");
}

TEST_F(MonotonicClockTest, PrunesByAClockThatIsBehind) {
  clock_.now();
  wall_.step(Duration::hours(-1));
  pass(Duration::seconds(5));
  EXPECT_EQ(clock_.time().prune_by(), wall_.now());
}

TEST_F(MonotonicClockTest, FollowsAStepForwardAndPrunesNothingForADay) {
  clock_.now();
  wall_.step(Duration::days(40));
  EXPECT_EQ(clock_.now(), clock_start + Duration::days(40));
  EXPECT_EQ(clock_.time().take_jump(), Duration::days(40));
  EXPECT_EQ(clock_.time().take_jump(), Duration());
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_NE(heard_[0].find("stepped forward by 40 d"), std::string::npos) << heard_[0];
  EXPECT_EQ(clock_.time().prune_by(), Instant());
  pass(Duration::hours(23));
  EXPECT_EQ(clock_.time().prune_by(), Instant());
  EXPECT_NE(clock_.time().report().alarm, "");
  pass(Duration::hours(1));
  EXPECT_EQ(clock_.time().prune_by(), clock_.highest());
  EXPECT_EQ(clock_.time().report().alarm, "");
}

TEST_F(MonotonicClockTest, PrunesByTheTrueTimeAfterAStepThatWasTakenBack) {
  clock_.now();
  wall_.step(Duration::days(40));
  clock_.now();
  wall_.step(Duration::days(-40));
  pass(Duration::days(2));
  EXPECT_EQ(clock_.time().prune_by(), wall_.now());
  EXPECT_GT(clock_.highest(), clock_start + Duration::days(41));
  EXPECT_EQ(heard_.size(), 2u);
}

TEST_F(MonotonicClockTest, DoesNotReportSmallSteps) {
  clock_.now();
  for (const int seconds : {5, -3, 9, -9}) {
    wall_.step(Duration::seconds(seconds));
    pass(Duration::seconds(2));
  }
  EXPECT_TRUE(heard_.empty());
}

TEST(StoreTime, GoesOnFromWhatWasSavedWhenTheClockIsBehindAtTheStart) {
  ManualClock wall(clock_start);
  MonotonicClock clock(wall, {.highest = clock_start + Duration::days(30), .stepped_at = {}});
  EXPECT_EQ(clock.now(), clock_start + Duration::days(30));
  wall.advance(Duration::seconds(100));
  EXPECT_EQ(clock.now(), clock_start + Duration::days(30) + Duration::millis(99'900));
  EXPECT_NE(clock.time().report().alarm.find("29 d 23 h ahead"), std::string::npos);
}

TEST(StoreTime, WaitsToPruneAfterItWasClosedForLong) {
  ManualClock wall(clock_start);
  MonotonicClock clock(wall, {.highest = clock_start - Duration::days(40), .stepped_at = {}});
  clock.now();
  EXPECT_EQ(clock.time().prune_by(), Instant());
  EXPECT_EQ(clock.time().stepped_at(), clock_start);
  EXPECT_EQ(clock.time().take_jump(), Duration()) << "leases are not moved: time may have passed";
}

TEST(StoreTime, DoesNotCountTheTimeItWasClosedAsWaited) {
  ManualClock wall(clock_start);
  const Instant stepped = clock_start - Duration::hours(20);
  MonotonicClock clock(wall, {.highest = clock_start - Duration::hours(19), .stepped_at = stepped});
  clock.now();
  EXPECT_EQ(clock.time().report().prunes_from, clock_start + Duration::hours(23));
}

TEST(StoreTime, TakesALateAnswerForNoStep) {
  StoreTime time({.highest = clock_start, .stepped_at = {}});
  time.heard({.said = clock_start, .asked = Duration(), .answered = Duration()});
  time.heard({.said = clock_start + Duration::seconds(1),
              .asked = Duration::seconds(1),
              .answered = Duration::seconds(60)});
  EXPECT_EQ(time.report().steps_back, 0);
  EXPECT_EQ(time.report().steps_forward, 0);
}

// The thread that asked was delayed and reports the answer late.
TEST(StoreTime, DoesNotTakeAnOvertakenAnswerForAClockThatIsBehind) {
  StoreTime time({.highest = clock_start, .stepped_at = {}});
  const Duration five = Duration::seconds(5);
  time.heard({.said = clock_start + five, .asked = five, .answered = five});
  time.heard({.said = clock_start, .asked = Duration(), .answered = Duration()});
  EXPECT_EQ(time.report().ahead, Duration());
  EXPECT_EQ(time.at(five + five), clock_start + five) << "no later time was reported";
}

TEST(StoreTime, IsNotAheadOfItsClockAfterAnOvertakenAnswer) {
  StoreTime time({.highest = clock_start, .stepped_at = {}});
  const Duration one = Duration::seconds(1);
  time.heard({.said = clock_start + one, .asked = one, .answered = one});
  time.heard({.said = clock_start + Duration::millis(100),
              .asked = Duration::millis(100),
              .answered = Duration::millis(100)});
  time.heard({.said = clock_start - Duration::hours(1), .asked = one, .answered = one});
  EXPECT_EQ(time.at(one + one), clock_start + one + Duration::millis(999));
}

TEST(StoreTime, ContinuesWhileOtherNodesRaiseIt) {
  StoreTime time({.highest = clock_start, .stepped_at = {}});
  time.heard({.said = clock_start, .asked = Duration(), .answered = Duration()});
  time.heard(
      {.said = clock_start - Duration::hours(1), .asked = Duration(), .answered = Duration()});
  for (int i = 1; i <= 1000; ++i) {
    const Instant told = time.at(Duration::millis(10 * i - 5));
    time.raise(told, Duration::millis(10 * i));
  }
  EXPECT_GE(time.at(Duration::seconds(10)), clock_start + Duration::millis(9'900));
}

TEST(StoreTime, GoesBackForNoThreadWhileItsClockJumps) {
  ManualClock wall(clock_start);
  MonotonicClock clock(wall, {});
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
  for (int i = 0; i < 2000; ++i) wall.step(Duration::millis(i % 3 == 0 ? -50'000 : 30'000));
  threads.clear();
  EXPECT_EQ(backward, 0);
}

}  // namespace
}  // namespace longshore
