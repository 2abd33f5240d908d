#include "api/wire/read_pool.h"

#include <gtest/gtest.h>

#include <future>

#include "deadline.h"
#include "longshore/testing.h"

namespace longshore {
namespace {

class ReadLanesTest : public ::testing::Test {
 protected:
  // A read that holds its thread until the test lets go.
  ReadPool::Read blocker() {
    return [this](Catalog&) {
      begun.set_value();
      EXPECT_TRUE(comes(go_on.get_future())) << "the test did not let go";
    };
  }

  testing::Harbour harbour;
  std::promise<void> begun;
  std::promise<void> go_on;
};

TEST_F(ReadLanesTest, LooksUpOneThingWhileAListTakesItsTime) {
  ReadPool lanes(harbour.longshore().catalog(), {});
  ReadPool::Read list = blocker();
  ASSERT_TRUE(lanes.push(ReadKind::scan, list));
  ASSERT_TRUE(comes(begun.get_future()));
  std::promise<void> looked;
  ReadPool::Read look = [&](Catalog& catalog) {
    EXPECT_TRUE(catalog.now().ok());
    looked.set_value();
  };
  ASSERT_TRUE(lanes.push(ReadKind::point, look));
  EXPECT_TRUE(comes(looked.get_future()));
  go_on.set_value();
}

TEST_F(ReadLanesTest, ServesTheOthersInTurnWhoeverAsksForMuch) {
  ReadPool lanes(harbour.longshore().catalog(), {.scan_threads = 1});
  ReadPool::Read list = blocker();
  ASSERT_TRUE(lanes.push(ReadKind::scan, list, "greedy"));
  ASSERT_TRUE(comes(begun.get_future()));
  std::vector<std::string> order;  // one thread reads
  for (const char* whose : {"greedy", "greedy", "greedy", "other"}) {
    ReadPool::Read one = [&order, whose](Catalog&) { order.emplace_back(whose); };
    ASSERT_TRUE(lanes.push(ReadKind::scan, one, whose));
  }
  go_on.set_value();
  lanes.stop();
  EXPECT_EQ(order, (std::vector<std::string>{"greedy", "other", "greedy", "greedy"}));
}

TEST_F(ReadLanesTest, LeavesAThreadToOthersThanTheOneWhoScans) {
  ReadPool lanes(harbour.longshore().catalog(), {.scan_threads = 2});
  ReadPool::Read list = blocker();
  ASSERT_TRUE(lanes.push(ReadKind::scan, list, "greedy"));
  ASSERT_TRUE(comes(begun.get_future()));
  std::atomic<bool> second = false;
  ReadPool::Read more = [&](Catalog&) { second = true; };
  ASSERT_TRUE(lanes.push(ReadKind::scan, more, "greedy"));
  std::promise<void> looked;
  ReadPool::Read other = [&](Catalog&) { looked.set_value(); };
  ASSERT_TRUE(lanes.push(ReadKind::scan, other, "other"));
  EXPECT_TRUE(comes(looked.get_future()));
  EXPECT_FALSE(second) << "the second one waits for the first of the same reader";
  go_on.set_value();
  lanes.stop();
  EXPECT_TRUE(second);
}

TEST_F(ReadLanesTest, TurnsAwayWhatIsTooMuch) {
  ReadPool lanes(harbour.longshore().catalog(), {.points_waiting = 2});
  ReadPool::Read first = blocker();
  ASSERT_TRUE(lanes.push(ReadKind::point, first));
  ASSERT_TRUE(comes(begun.get_future()));
  std::atomic<int> read = 0;
  for (const bool taken : {true, true, false}) {
    ReadPool::Read one = [&](Catalog&) { read += 1; };
    EXPECT_EQ(lanes.push(ReadKind::point, one), taken);
    EXPECT_EQ(one != nullptr, !taken);
  }
  go_on.set_value();
  lanes.stop();
  EXPECT_EQ(read, 2) << "what was taken is done before the end";
  ReadPool::Read late = [](Catalog&) { FAIL(); };
  EXPECT_FALSE(lanes.push(ReadKind::point, late));
}

}  // namespace
}  // namespace longshore
