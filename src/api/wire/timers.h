// Timers: ends of waits, periodic checks, keep-alives of streams.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "runtime/alarm.h"
#include "runtime/timekeeper.h"

namespace longshore {

// Safe to share between threads. One thread runs the callbacks; they must not block.
class Timers {
 public:
  using Ticket = std::uint64_t;
  using Act = std::move_only_function<void()>;

  // `time` must outlive the timers.
  explicit Timers(Timekeeper& time);
  ~Timers();

  // Runs once, at `when` or soon after; not after stop().
  Ticket at(Instant when, Act act);
  // True if it will not run; false if it has run, is about to, or never existed.
  bool cancel(Ticket ticket);

  Instant now() { return time_.now(); }
  // Waits for the running callback; no other runs. Idempotent.
  void stop();

 private:
  void act_until_stopped();
  std::vector<Act> take_due(Instant now, Instant& next);

  Timekeeper& time_;
  Alarm alarm_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::map<std::pair<Instant, Ticket>, Act> acts_ LONGSHORE_GUARDED_BY(mutex_);
  std::unordered_map<Ticket, Instant> times_ LONGSHORE_GUARDED_BY(mutex_);
  Ticket next_ LONGSHORE_GUARDED_BY(mutex_) = 1;
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;

  std::jthread thread_;  // last: it uses all the others
};

}  // namespace longshore
