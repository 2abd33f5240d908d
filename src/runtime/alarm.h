// A wake-up with a timeout by the node's time.
#pragma once

#include <atomic>

#include "engine/commit_queue.h"
#include "runtime/signal.h"
#include "runtime/timekeeper.h"

namespace longshore {

// Safe to share between threads. One wake() ends one wait, also a later one; several without a
// waiting thread count as one.
class Alarm final : public Waker {
 public:
  // `time` must outlive the alarm.
  explicit Alarm(Timekeeper& time);
  ~Alarm() override;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // The alarm must live until the call returns.
  void wake() override { signal_.set(); }
  // Every wait returns at once from now on.
  void wake_forever();

  // Blocks until woken or until time.now() is `at`. May return early.
  void wait_until(Instant at);
  void wait() { wait_until(Instant::never()); }

 private:
  Timekeeper& time_;
  Signal signal_;
  std::atomic<bool> forever_ = false;
};

}  // namespace longshore
