// Wakes one waiting thread without a lock. At tens of thousands of calls a second, the cost of a
// condition variable is measurable.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "longshore/time.h"

namespace longshore {

// Safe to share between threads; must outlive every call of set. Several calls of set without a
// waiting thread count as one, and end the next wait. Writes before set are visible after the wait.
class Signal {
 public:
  Signal() { ::sem_init(&semaphore_, 0, 0); }
  ~Signal() { ::sem_destroy(&semaphore_); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void set() {
    if (!set_.exchange(true)) ::sem_post(&semaphore_);
  }

  void wait() {
    while (::sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
    set_.exchange(false);
  }

  // Gives up after `longest`, by the machine's clock.
  void wait_for(Duration longest) {
    const timespec until = from_now(longest);
    int failed = 0;
    do {
      failed = ::sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until);
    } while (failed != 0 && errno == EINTR);
    if (failed == 0) set_.exchange(false);
  }

 private:
  static timespec from_now(Duration longest) {
    constexpr long nanos_per_second = 1'000'000'000;
    timespec at{};
    ::clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += static_cast<time_t>(longest.count() / 1000);
    at.tv_nsec += static_cast<long>(longest.count() % 1000) * 1'000'000;
    if (at.tv_nsec >= nanos_per_second) {
      at.tv_sec += 1;
      at.tv_nsec -= nanos_per_second;
    }
    return at;
  }

  sem_t semaphore_;
  std::atomic<bool> set_ = false;  // the semaphore was posted and not yet consumed
};

}  // namespace longshore
