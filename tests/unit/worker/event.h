// Something one thread of a test waits for and another brings about. A wait has a deadline and so
// cannot hang a run; it is far longer than the event needs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace longshore {

// Safe to share between threads.
class Event {
 public:
  void happen() {
    const std::lock_guard lock(mutex_);
    count_ += 1;
    changed_.notify_all();
  }

  // True once it has happened `times` times.
  bool wait(int times = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return count_ >= times; });
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
