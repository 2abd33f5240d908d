// An event that one thread of a test waits for and another triggers. Waits have a deadline, so that
// a failing test does not hang.
#pragma once

#include <condition_variable>
#include <mutex>

#include "deadline.h"

namespace longshore {

// Safe to share between threads.
class Event {
 public:
  void happen() {
    const std::lock_guard lock(mutex_);
    count_ += 1;
    changed_.notify_all();
  }

  // True once it has happened `times` times; else the message says how often.
  ::testing::AssertionResult wait(int times = 1) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, test_deadline, [&] { return count_ >= times; })) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "it happened " << count_ << " times and not " << times
                                         << " within " << test_deadline.count() << " s";
  }

  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

}  // namespace longshore
