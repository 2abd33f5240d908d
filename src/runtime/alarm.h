// A bell that one can wait for, and that rings by itself when a time has come.
#pragma once

#include <atomic>

#include "engine/commit_queue.h"
#include "runtime/signal.h"
#include "runtime/timekeeper.h"

namespace longshore {

// Safe to share between threads. One ring wakes one wait, also one that comes later; rings that
// nobody waited for are one.
class Alarm final : public Waker {
 public:
  // `time` must outlive the alarm.
  explicit Alarm(Timekeeper& time);
  ~Alarm() override;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // The alarm must live until the call returns.
  void ring() override { signal_.set(); }
  // Every wait returns at once, now and later.
  void ring_for_ever();

  // Blocks until rung or until time.now() is `at`. May return early.
  void wait_until(Instant at);
  void wait() { wait_until(Instant::never()); }

 private:
  Timekeeper& time_;
  Signal signal_;
  std::atomic<bool> for_ever_ = false;
};

}  // namespace longshore
