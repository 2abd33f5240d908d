#include "runtime/relay.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "unit/worker/event.h"

namespace longshore {
namespace {

// Threads that sleep until they are announced, and then pass it on or do not.
class Dormitory {
 public:
  Dormitory(Relay& relay, int count, bool pass_on) {
    for (int i = 0; i < count; ++i) {
      auto signal = std::make_shared<Signal>();
      sleepers_.push_back(signal);
      threads_.emplace_back([this, &relay, signal, pass_on] {
        signal->wait();
        if (pass_on) relay.pass_on();
        awake.happen();
      });
    }
  }
  void announce_all(Relay& relay) {
    const Relay::Gathering gathering(relay);
    for (const Relay::Sleeper& sleeper : sleepers_) relay.announce(sleeper);
  }

  Event awake;

 private:
  std::vector<Relay::Sleeper> sleepers_;
  std::vector<std::jthread> threads_;
};

TEST(Relay, WakesAtOnceWhenNobodyGathers) {
  Relay relay;
  const auto signal = std::make_shared<Signal>();
  relay.announce(signal);
  signal->wait();
  bool called = false;
  relay.announce([&] { called = true; });
  EXPECT_TRUE(called);
}

TEST(Relay, ReachesEverybodyThroughThoseWhoPassItOn) {
  Relay relay;
  Dormitory dormitory(relay, 20, true);
  dormitory.announce_all(relay);
  EXPECT_TRUE(dormitory.awake.wait(20));
}

TEST(Relay, LeavesNobodyAsleepWhenNobodyPassesItOn) {
  Relay relay;
  Dormitory first(relay, 20, false);
  first.announce_all(relay);
  Dormitory second(relay, 20, false);
  second.announce_all(relay);
  EXPECT_TRUE(first.awake.wait(20)) << "those of before are woken by the next gathering";
  relay.wake_all();
  EXPECT_TRUE(second.awake.wait(20));
}

TEST(Relay, MakesCallsAtTheEndOfAGathering) {
  Relay relay;
  int calls = 0;
  {
    const Relay::Gathering gathering(relay);
    relay.announce([&] { calls += 1; });
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
}

TEST(Relay, GathersOnlyForItself) {
  Relay relay;
  Relay other;
  const Relay::Gathering gathering(other);
  bool called = false;
  relay.announce([&] { called = true; });
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace longshore
