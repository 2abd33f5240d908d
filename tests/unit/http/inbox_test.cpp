#include "http/inbox.h"

#include <gtest/gtest.h>

namespace longshore::wire {
namespace {

TEST(Inbox, WakesOnceForHoweverManyErrands) {
  int woken = 0;
  Inbox inbox([&] { ++woken; });
  std::vector<Inbox::Letter> letters;
  for (int round = 1; round <= 3; ++round) {
    for (int n = 0; n < 100; ++n) inbox.put({}, [](Connection*) {});
    EXPECT_EQ(woken, round);
    letters.clear();
    inbox.take(letters);
    EXPECT_EQ(letters.size(), 100u);
  }
}

TEST(Inbox, TellsEveryErrandOnceWhenItIsClosed) {
  int woken = 0;
  int gone = 0;
  Inbox inbox([&] { ++woken; });
  const auto errand = [&](Connection* connection) { gone += connection == nullptr ? 1 : 100; };
  inbox.put({}, errand);
  inbox.put({}, errand);
  EXPECT_EQ(gone, 0);
  inbox.close();
  EXPECT_EQ(gone, 2);
  inbox.put({}, errand);
  EXPECT_EQ(gone, 3);
  inbox.close();
  EXPECT_EQ(gone, 3);
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace longshore::wire
