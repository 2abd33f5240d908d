#include "worker/concurrency_limits.h"

#include <gtest/gtest.h>

#include <thread>

namespace longshore {
namespace {

using Names = std::vector<std::string>;

TEST(ConcurrencyLimits, AskForEverythingWithoutLimits) {
  ConcurrencyLimits seats({{"a"}, {"b"}}, {{"T"}, {"U"}});
  for (int i = 0; i < 100; ++i) {
    const ConcurrencyLimits::AskRef ask = seats.try_ask({});
    EXPECT_EQ(ask->queues, (Names{"a", "b"}));
    EXPECT_EQ(ask->types, (Names{"T", "U"}));
  }
}

TEST(ConcurrencyLimits, AskForALimitedTypeNoMoreOftenThanItMayRun) {
  ConcurrencyLimits seats({{"q"}}, {{"T", 2}, {"U"}});
  EXPECT_EQ(seats.try_ask({})->types, (Names{"T", "U"}));
  EXPECT_EQ(seats.try_ask({})->types, (Names{"T", "U"}));
  EXPECT_EQ(seats.try_ask({})->types, (Names{"U"}));
}

TEST(ConcurrencyLimits, AskForNothingWhenEveryTypeOrQueueIsTaken) {
  ConcurrencyLimits by_type({{"q"}}, {{"T", 1}});
  ASSERT_TRUE(by_type.try_ask({}));
  EXPECT_FALSE(by_type.try_ask({}));
  ConcurrencyLimits by_queue({{"q", 1}}, {{"T"}});
  ASSERT_TRUE(by_queue.try_ask({}));
  EXPECT_FALSE(by_queue.try_ask({}));
}

TEST(ConcurrencyLimits, KeepThePlaceOfAJobAtWorkAndFreeTheRest) {
  ConcurrencyLimits seats({{"a", 1}, {"b", 1}}, {{"T"}});
  const ConcurrencyLimits::Place place = seats.take(seats.try_ask({}), "b", "T");
  EXPECT_EQ(seats.try_ask({})->queues, (Names{"a"}));
  EXPECT_FALSE(seats.try_ask({}));
  EXPECT_EQ(seats.try_ask(place)->queues, (Names{"b"}));
}

TEST(ConcurrencyLimits, LetASlotGoOnWithAJobOfTheSameKind) {
  ConcurrencyLimits seats({{"q"}}, {{"T", 1}, {"U"}});
  const ConcurrencyLimits::AskRef other = [&] {
    const ConcurrencyLimits::AskRef first = seats.try_ask({});
    const ConcurrencyLimits::AskRef second = seats.try_ask({});
    const ConcurrencyLimits::Place place = seats.take(first, "q", "T");
    EXPECT_EQ(seats.try_ask(place)->types, (Names{"T", "U"}));
    return second;
  }();
  EXPECT_FALSE(other->stop.stop_requested());
}

TEST(ConcurrencyLimits, InterruptOneWhoCouldAskForWhatWasFreed) {
  ConcurrencyLimits seats({{"q"}}, {{"T", 1}, {"U"}});
  const ConcurrencyLimits::AskRef first = seats.try_ask({});
  const ConcurrencyLimits::AskRef second = seats.try_ask({});
  const ConcurrencyLimits::AskRef third = seats.try_ask({});
  seats.take(first, "q", "U");  // nobody asks for T now
  EXPECT_NE(second->stop.stop_requested(), third->stop.stop_requested());
  const ConcurrencyLimits::AskRef interrupted = second->stop.stop_requested() ? second : third;
  EXPECT_EQ(seats.try_ask(seats.give_up(interrupted))->types, (Names{"T", "U"}));
}

TEST(ConcurrencyLimits, WakeOneWhoCouldAskForNothing) {
  ConcurrencyLimits seats({{"q"}}, {{"T", 1}});
  const ConcurrencyLimits::AskRef first = seats.try_ask({});
  ConcurrencyLimits::AskRef second;
  std::thread waiting([&] { second = seats.wait_ask(); });
  seats.leave(seats.give_up(first));
  waiting.join();
  EXPECT_EQ(second->types, (Names{"T"}));
}

TEST(ConcurrencyLimits, InterruptEverybodyWhenStopped) {
  ConcurrencyLimits seats({{"q"}}, {{"T", 1}});
  const ConcurrencyLimits::AskRef asking = seats.try_ask({});
  std::thread waiting([&] { EXPECT_FALSE(seats.wait_ask()); });
  seats.stop();
  seats.stop();
  waiting.join();
  EXPECT_TRUE(asking->stop.stop_requested());
  EXPECT_FALSE(seats.try_ask({}));
}

}  // namespace
}  // namespace longshore
