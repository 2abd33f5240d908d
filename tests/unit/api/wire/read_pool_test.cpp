#include "api/wire/read_pool.h"

#include <gtest/gtest.h>

#include <future>

#include "deadline.h"
#include "longshore/testing.h"

namespace longshore {
namespace {

class ReadPoolTest : public ::testing::Test {
 protected:
  // A read that blocks its thread until the test releases it.
  ReadPool::Read blocker() {
    return [this](Catalog&) {
      begun.set_value();
      EXPECT_TRUE(comes(release.get_future())) << "the test did not release the read";
    };
  }

  testing::Harbour harbour;
  std::promise<void> begun;
  std::promise<void> release;
};

TEST_F(ReadPoolTest, RunsPointReadsDuringALongScan) {
  ReadPool pool(harbour.longshore().catalog(), {});
  ReadPool::Read list = blocker();
  ASSERT_TRUE(pool.push(ReadKind::scan, list));
  ASSERT_TRUE(comes(begun.get_future()));
  std::promise<void> looked;
  ReadPool::Read look = [&](Catalog& catalog) {
    EXPECT_TRUE(catalog.now().ok());
    looked.set_value();
  };
  ASSERT_TRUE(pool.push(ReadKind::point, look));
  EXPECT_TRUE(comes(looked.get_future()));
  release.set_value();
}

TEST_F(ReadPoolTest, ServesOwnersInTurn) {
  ReadPool pool(harbour.longshore().catalog(), {.scan_threads = 1});
  ReadPool::Read list = blocker();
  ASSERT_TRUE(pool.push(ReadKind::scan, list, "greedy"));
  ASSERT_TRUE(comes(begun.get_future()));
  std::vector<std::string> order;  // one thread, so no lock
  for (const char* owner : {"greedy", "greedy", "greedy", "other"}) {
    ReadPool::Read one = [&order, owner](Catalog&) { order.emplace_back(owner); };
    ASSERT_TRUE(pool.push(ReadKind::scan, one, owner));
  }
  release.set_value();
  pool.stop();
  EXPECT_EQ(order, (std::vector<std::string>{"greedy", "other", "greedy", "greedy"}));
}

TEST_F(ReadPoolTest, LeavesOneScanThreadToOtherOwners) {
  ReadPool pool(harbour.longshore().catalog(), {.scan_threads = 2});
  ReadPool::Read list = blocker();
  ASSERT_TRUE(pool.push(ReadKind::scan, list, "greedy"));
  ASSERT_TRUE(comes(begun.get_future()));
  std::atomic<bool> second = false;
  ReadPool::Read more = [&](Catalog&) { second = true; };
  ASSERT_TRUE(pool.push(ReadKind::scan, more, "greedy"));
  std::promise<void> looked;
  ReadPool::Read other = [&](Catalog&) { looked.set_value(); };
  ASSERT_TRUE(pool.push(ReadKind::scan, other, "other"));
  EXPECT_TRUE(comes(looked.get_future()));
  EXPECT_FALSE(second) << "the second read of an owner waits for its first";
  release.set_value();
  pool.stop();
  EXPECT_TRUE(second);
}

TEST_F(ReadPoolTest, RefusesReadsBeyondItsLimits) {
  ReadPool pool(harbour.longshore().catalog(), {.points_waiting = 2});
  ReadPool::Read first = blocker();
  ASSERT_TRUE(pool.push(ReadKind::point, first));
  ASSERT_TRUE(comes(begun.get_future()));
  std::atomic<int> read = 0;
  for (const bool taken : {true, true, false}) {
    ReadPool::Read one = [&](Catalog&) { read += 1; };
    EXPECT_EQ(pool.push(ReadKind::point, one), taken);
    EXPECT_EQ(one != nullptr, !taken);
  }
  release.set_value();
  pool.stop();
  EXPECT_EQ(read, 2) << "accepted reads run before the end";
  ReadPool::Read late = [](Catalog&) { FAIL(); };
  EXPECT_FALSE(pool.push(ReadKind::point, late));
}

}  // namespace
}  // namespace longshore
