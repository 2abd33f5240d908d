#include "core/sync/fifo.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace longshore {
namespace {

TEST(Fifo, GivesBackInTheOrderInWhichItWasFilled) {
  Fifo<std::unique_ptr<int>> queue;
  int put = 0;
  int taken = 0;
  // Longer than it is emptied, so that the place of what was taken is used again.
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 3; ++i) queue.push(std::make_unique<int>(put++));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(*queue.pop(), taken++);
    ASSERT_EQ(queue.size(), static_cast<std::size_t>(put - taken));
    ASSERT_EQ(**queue.begin(), taken);
    ASSERT_EQ(queue.end() - queue.begin(), put - taken);
  }
  while (!queue.empty()) EXPECT_EQ(*queue.pop(), taken++);
  EXPECT_EQ(taken, put);
}

}  // namespace
}  // namespace longshore
