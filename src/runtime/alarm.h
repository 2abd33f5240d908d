// A bell that one can wait for, and that rings by itself when a time has come.
#pragma once

#include <condition_variable>

#include "core/mutex.h"
#include "engine/commit_queue.h"
#include "runtime/timekeeper.h"

namespace longshore {

// Safe to share between threads. One ring wakes one wait, also one that comes later; rings that
// nobody waited for are one.
class Alarm final : public Bell {
 public:
  // `time` must outlive the alarm.
  explicit Alarm(Timekeeper& time);
  ~Alarm() override;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  void ring() override;
  // Every wait returns at once, now and later.
  void ring_for_ever();

  // Blocks until rung or until time.now() is `at`. May return early.
  void wait_until(Instant at);
  void wait() { wait_until(Instant::never()); }

 private:
  Timekeeper& time_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_.
  bool rung_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool for_ever_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
