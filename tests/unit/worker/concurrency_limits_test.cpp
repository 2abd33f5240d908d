#include "worker/concurrency_limits.h"

#include <gtest/gtest.h>

#include <thread>

namespace longshore {
namespace {

using Names = std::vector<std::string>;

TEST(Seats, AskForEverythingWithoutLimits) {
  Seats seats({{"a"}, {"b"}}, {{"T"}, {"U"}});
  for (int i = 0; i < 100; ++i) {
    const Seats::AskRef ask = seats.try_ask({});
    EXPECT_EQ(ask->queues, (Names{"a", "b"}));
    EXPECT_EQ(ask->types, (Names{"T", "U"}));
  }
}

TEST(Seats, AskForALimitedTypeNoMoreOftenThanItMayRun) {
  Seats seats({{"q"}}, {{"T", 2}, {"U"}});
  EXPECT_EQ(seats.try_ask({})->types, (Names{"T", "U"}));
  EXPECT_EQ(seats.try_ask({})->types, (Names{"T", "U"}));
  EXPECT_EQ(seats.try_ask({})->types, (Names{"U"}));
}

TEST(Seats, AskForNothingWhenEveryTypeOrQueueIsTaken) {
  Seats by_type({{"q"}}, {{"T", 1}});
  ASSERT_TRUE(by_type.try_ask({}));
  EXPECT_FALSE(by_type.try_ask({}));
  Seats by_queue({{"q", 1}}, {{"T"}});
  ASSERT_TRUE(by_queue.try_ask({}));
  EXPECT_FALSE(by_queue.try_ask({}));
}

TEST(Seats, KeepThePlaceOfAJobAtWorkAndFreeTheRest) {
  Seats seats({{"a", 1}, {"b", 1}}, {{"T"}});
  const Seats::Place place = seats.take(seats.try_ask({}), "b", "T");
  EXPECT_EQ(seats.try_ask({})->queues, (Names{"a"}));
  EXPECT_FALSE(seats.try_ask({}));
  EXPECT_EQ(seats.try_ask(place)->queues, (Names{"b"}));
}

TEST(Seats, LetASlotGoOnWithAJobOfTheSameKind) {
  Seats seats({{"q"}}, {{"T", 1}, {"U"}});
  const Seats::AskRef other = [&] {
    const Seats::AskRef first = seats.try_ask({});
    const Seats::AskRef second = seats.try_ask({});
    const Seats::Place place = seats.take(first, "q", "T");
    EXPECT_EQ(seats.try_ask(place)->types, (Names{"T", "U"}));
    return second;
  }();
  EXPECT_FALSE(other->stop.stop_requested());
}

TEST(Seats, InterruptOneWhoCouldAskForWhatWasFreed) {
  Seats seats({{"q"}}, {{"T", 1}, {"U"}});
  const Seats::AskRef first = seats.try_ask({});
  const Seats::AskRef second = seats.try_ask({});
  const Seats::AskRef third = seats.try_ask({});
  seats.take(first, "q", "U");  // nobody asks for T now
  EXPECT_NE(second->stop.stop_requested(), third->stop.stop_requested());
  const Seats::AskRef interrupted = second->stop.stop_requested() ? second : third;
  EXPECT_EQ(seats.try_ask(seats.give_up(interrupted))->types, (Names{"T", "U"}));
}

TEST(Seats, WakeOneWhoCouldAskForNothing) {
  Seats seats({{"q"}}, {{"T", 1}});
  const Seats::AskRef first = seats.try_ask({});
  Seats::AskRef second;
  std::thread waiting([&] { second = seats.wait_ask(); });
  seats.leave(seats.give_up(first));
  waiting.join();
  EXPECT_EQ(second->types, (Names{"T"}));
}

TEST(Seats, InterruptEverybodyWhenStopped) {
  Seats seats({{"q"}}, {{"T", 1}});
  const Seats::AskRef asking = seats.try_ask({});
  std::thread waiting([&] { EXPECT_FALSE(seats.wait_ask()); });
  seats.stop();
  seats.stop();
  waiting.join();
  EXPECT_TRUE(asking->stop.stop_requested());
  EXPECT_FALSE(seats.try_ask({}));
}

}  // namespace
}  // namespace longshore
