#include "http/inbox.h"

#include <gtest/gtest.h>

namespace longshore::wire {
namespace {

TEST(Inbox, WakesOnceForManyTasks) {
  int woken = 0;
  Inbox inbox([&] { ++woken; });
  std::vector<Inbox::Item> items;
  for (int round = 1; round <= 3; ++round) {
    for (int n = 0; n < 100; ++n) inbox.put({}, [](Connection*) {});
    EXPECT_EQ(woken, round);
    items.clear();
    inbox.take(items);
    EXPECT_EQ(items.size(), 100u);
  }
}

TEST(Inbox, CallsEveryTaskOnceWhenClosed) {
  int woken = 0;
  int gone = 0;
  Inbox inbox([&] { ++woken; });
  const auto task = [&](Connection* connection) { gone += connection == nullptr ? 1 : 100; };
  inbox.put({}, task);
  inbox.put({}, task);
  EXPECT_EQ(gone, 0);
  inbox.close();
  EXPECT_EQ(gone, 2);
  inbox.put({}, task);
  EXPECT_EQ(gone, 3);
  inbox.close();
  EXPECT_EQ(gone, 3);
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace longshore::wire
