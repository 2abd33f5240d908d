// A mutex for clang's thread-safety analysis. Declare what it guards:
//
//   Mutex mutex_;
//   std::deque<JobId> ready_ LONGSHORE_GUARDED_BY(mutex_);
//
// `./dev tidy` then finds each access without the lock. On g++ the annotations are empty.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "core/assert.h"

// The second macro is private to this header and undefined at its end.
#if defined(__clang__)
#define LONGSHORE_GUARDED_BY(mutex) __attribute__((guarded_by(mutex)))
#define LONGSHORE_THREAD_ATTRIBUTE(name) __attribute__((name))
#else
#define LONGSHORE_GUARDED_BY(mutex)
#define LONGSHORE_THREAD_ATTRIBUTE(name)
#endif

namespace longshore {

// Not recursive. Has the standard's names, so that std::condition_variable_any can wait on it.
class LONGSHORE_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() LONGSHORE_THREAD_ATTRIBUTE(acquire_capability()) {
    mutex_.lock();
    holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }

  void unlock() LONGSHORE_THREAD_ATTRIBUTE(release_capability()) {
    holder_.store(std::thread::id(), std::memory_order_relaxed);
    mutex_.unlock();
  }

  bool try_lock() LONGSHORE_THREAD_ATTRIBUTE(try_acquire_capability(true)) {
    if (!mutex_.try_lock()) return false;
    holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return true;
  }

  // The first line of a private function that is called with the lock held. Aborts if the calling
  // thread does not hold it.
  void assert_held() const LONGSHORE_THREAD_ATTRIBUTE(assert_capability(this)) {
    LONGSHORE_ASSERT(holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(),
                     "this thread holds the mutex");
  }

 private:
  std::mutex mutex_;
  // Relaxed is enough: a thread compares with its own id, and sees its own last store.
  std::atomic<std::thread::id> holder_;
};

// Holds a Mutex for a scope. (The analysis does not understand std::lock_guard.)
class LONGSHORE_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LONGSHORE_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() LONGSHORE_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace longshore

#undef LONGSHORE_THREAD_ATTRIBUTE
