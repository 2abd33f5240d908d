#include "sim/fiber.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/ids/random.h"
#include "sim/scheduler.h"

namespace longshore::sim {
namespace {

TEST(Fibers, ContinueWhereTheyYielded) {
  StackPool pool;
  std::string said;
  Fiber* self = nullptr;
  Fiber fiber(pool, [&] {
    said += "a";
    self->step_aside();
    said += "b";
  });
  self = &fiber;
  EXPECT_EQ(said, "");
  fiber.resume();
  EXPECT_EQ(said, "a");
  EXPECT_FALSE(fiber.done());
  fiber.resume();
  EXPECT_EQ(said, "ab");
  EXPECT_TRUE(fiber.done());
}

TEST(Fibers, AreUnwoundWhenKilledAndDoNothingElse) {
  StackPool pool;
  std::string said;
  struct Farewell {
    std::string& said;
    ~Farewell() { said += "bye"; }
  };
  Fiber* self = nullptr;
  Fiber fiber(pool, [&] {
    const Farewell farewell{said};
    self->step_aside();
    said += "never";
  });
  self = &fiber;
  fiber.resume();
  fiber.kill();
  EXPECT_EQ(said, "bye");
  fiber.kill();
  Fiber unborn(pool, [&] { said += "never"; });
  unborn.kill();
  EXPECT_EQ(said, "bye");
}

class Schedules : public testing::Test {
 protected:
  static constexpr std::int64_t switches_most = 1000;
  SeededRandom random{1};
  Trace trace;
  StackPool pool;
  Scheduler scheduler{random, trace, pool, switches_most};
};

TEST_F(Schedules, LetTimePassOnlyWhileAllFibersWait) {
  std::vector<std::int64_t> at;
  for (const int seconds : {5, 1, 3}) {
    scheduler.spawn("sleeper", 1, [&, seconds] {
      scheduler.let_pass(Duration::seconds(seconds));
      at.push_back(scheduler.now().count());
    });
  }
  EXPECT_TRUE(scheduler.run_until(Instant::millis(10'000)));
  EXPECT_EQ(at, (std::vector<std::int64_t>{1'000, 3'000, 5'000}));
  EXPECT_EQ(scheduler.now(), Instant::millis(10'000));
}

TEST_F(Schedules, RememberASignalBeforeAnyFiberWaited) {
  Signal bell;
  int heard = 0;
  scheduler.ring(bell);
  scheduler.spawn("listener", 1, [&] {
    std::uint64_t seen = 0;
    while (true) {
      scheduler.wait(bell, seen, Instant::never());
      heard += 1;
    }
  });
  scheduler.run_until(Instant::millis(1));
  EXPECT_EQ(heard, 1);
  scheduler.ring(bell);
  scheduler.run_until(Instant::millis(2));
  EXPECT_EQ(heard, 2);
}

TEST_F(Schedules, LeaveAPausedProcessAloneAndAKilledOneForGood) {
  int steps = 0;
  scheduler.spawn("walker", 7, [&] {
    while (true) {
      steps += 1;
      scheduler.let_pass(Duration::seconds(1));
    }
  });
  scheduler.pause(7, Instant::millis(5'000));
  scheduler.run_until(Instant::millis(4'999));
  EXPECT_EQ(steps, 0);
  scheduler.run_until(Instant::millis(6'500));
  EXPECT_EQ(steps, 2);
  scheduler.kill(7);
  scheduler.run_until(Instant::millis(60'000));
  EXPECT_EQ(steps, 2);
}

TEST_F(Schedules, DetectAFiberThatLoops) {
  scheduler.spawn("dervish", 1, [&] {
    while (true) scheduler.pass();
  });
  EXPECT_FALSE(scheduler.run_until(Instant::millis(1)));
  EXPECT_EQ(scheduler.switches(), switches_most);
}

}  // namespace
}  // namespace longshore::sim
