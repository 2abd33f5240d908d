#include "core/sync/mutex.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <thread>
#include <vector>

namespace longshore {
namespace {

class Counter {
 public:
  void add_one() {
    const MutexLock lock(mutex_);
    raise();
  }

  int count() {
    const MutexLock lock(mutex_);
    return count_;
  }

  void raise_without_the_lock() { raise(); }

 private:
  void raise() {
    mutex_.assert_held();
    ++count_;
  }

  Mutex mutex_;
  int count_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, LetsOneThreadInAtATime) {
  constexpr int threads = 4;
  constexpr int rounds = 10'000;
  Counter counter;
  {
    std::vector<std::jthread> crowd;
    crowd.reserve(threads);
    for (int i = 0; i < threads; ++i) {
      crowd.emplace_back([&counter] {
        for (int round = 0; round < rounds; ++round) counter.add_one();
      });
    }
  }
  EXPECT_EQ(counter.count(), threads * rounds);
}

TEST(Mutex, RefusesATryWhileAnotherThreadHoldsIt) {
  Mutex mutex;
  bool entered = true;
  {
    const MutexLock lock(mutex);
    std::jthread([&] { entered = mutex.try_lock(); }).join();
  }
  EXPECT_FALSE(entered);
  ASSERT_TRUE(mutex.try_lock());
  mutex.assert_held();
  mutex.unlock();
}

TEST(Mutex, CanBeWaitedOn) {
  Mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  std::jthread waker([&] {
    const MutexLock lock(mutex);
    ready = true;
    changed.notify_one();
  });
  mutex.lock();
  changed.wait(mutex, [&] { return ready; });
  mutex.assert_held();
  mutex.unlock();
  EXPECT_TRUE(ready);
}

TEST(MutexDeathTest, AbortsWhenALockThatShouldBeHeldIsNot) {
  Counter counter;
  EXPECT_EXIT(counter.raise_without_the_lock(), testing::KilledBySignal(SIGABRT),
              "this thread holds the mutex");
}

TEST(MutexDeathTest, IsNotHeldByTheThreadsAroundItsHolder) {
  Mutex mutex;
  const MutexLock lock(mutex);
  EXPECT_EXIT(std::jthread([&] { mutex.assert_held(); }).join(), testing::KilledBySignal(SIGABRT),
              "this thread holds the mutex");
}

}  // namespace
}  // namespace longshore
