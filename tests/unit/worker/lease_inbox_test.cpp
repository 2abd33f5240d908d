#include "worker/lease_inbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "unit/worker/event.h"

namespace longshore {
namespace {

TEST(LeaseInbox, IsFirstInFirstOut) {
  LeaseInbox<int> inbox;
  for (int i = 1; i <= 3; ++i) inbox.put(i);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(inbox.take(), i);
}

TEST(LeaseInbox, WakesAThreadPerItemWhileHandlersAreSlow) {
  constexpr int many = 8;
  LeaseInbox<int> inbox;
  Event taken;
  Event go_on;
  std::vector<std::jthread> threads;
  for (int i = 0; i < many; ++i) {
    threads.emplace_back([&] {
      inbox.take();
      taken.happen();
      go_on.wait();  // as a slow handler does
    });
  }
  for (int i = 0; i < many; ++i) inbox.put(i);
  EXPECT_TRUE(taken.wait(many));
  go_on.happen();
}

TEST(LeaseInbox, GivesEachItemToOneThread) {
  constexpr int each = 2000;
  constexpr int threads_max = 4;
  LeaseInbox<int> inbox;
  std::vector<std::atomic<int>> taken(each);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < threads_max; ++i) {
      threads.emplace_back([&] {
        for (int item = inbox.take(); item >= 0; item = inbox.take()) {
          taken[static_cast<std::size_t>(item)] += 1;
        }
      });
    }
    for (int i = 0; i < each; ++i) inbox.put(i);
    for (int i = 0; i < threads_max; ++i) inbox.put(-1);  // ends a thread
  }
  for (const auto& count : taken) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace longshore
