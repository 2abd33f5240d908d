#include "worker/lease_inbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "unit/worker/event.h"

namespace longshore {
namespace {

TEST(Arrivals, AreTakenInTheOrderInWhichTheyCame) {
  Arrivals<int> arrivals;
  for (int i = 1; i <= 3; ++i) arrivals.put(i);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(arrivals.take(), i);
}

TEST(Arrivals, WakeAThreadForEachWhenNoneComesBackSoon) {
  constexpr int many = 8;
  Arrivals<int> arrivals;
  Event taken;
  Event go_on;
  std::vector<std::jthread> threads;
  for (int i = 0; i < many; ++i) {
    threads.emplace_back([&] {
      arrivals.take();
      taken.happen();
      go_on.wait();  // as a slow handler does
    });
  }
  for (int i = 0; i < many; ++i) arrivals.put(i);
  EXPECT_TRUE(taken.wait(many));
  go_on.happen();
}

TEST(Arrivals, AreTakenOnceEachByManyThreads) {
  constexpr int each = 2000;
  constexpr int threads_max = 4;
  Arrivals<int> arrivals;
  std::vector<std::atomic<int>> taken(each);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < threads_max; ++i) {
      threads.emplace_back([&] {
        for (int item = arrivals.take(); item >= 0; item = arrivals.take()) {
          taken[static_cast<std::size_t>(item)] += 1;
        }
      });
    }
    for (int i = 0; i < each; ++i) arrivals.put(i);
    for (int i = 0; i < threads_max; ++i) arrivals.put(-1);  // go home
  }
  for (const auto& count : taken) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace longshore
