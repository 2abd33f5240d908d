// Wakes the one thread that waits for it, at the price of one switch: whoever signals holds no
// lock that the woken thread wants. (std::condition_variable_any, which core's Mutex asks for,
// has a lock of its own and wakes a thread twice; between threads that answer tens of thousands of
// calls a second, that shows.)
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "longshore/time.h"

namespace longshore {

// Safe to share between threads; must outlive every call of set. Signals that nobody waited for
// are one, and wake the next wait.
class Signal {
 public:
  void set() {
    {
      const std::lock_guard lock(mutex_);
      if (set_) return;
      set_ = true;
    }
    changed_.notify_one();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
    set_ = false;
  }

  // Gives up after `longest`, by the machine's clock.
  void wait_for(Duration longest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(longest.count()), [this] { return set_; });
    set_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace longshore
