// A store's time: follows a clock, but never goes back and never stops for long.
//
// While the clock is behind, the store's time advances with a steady clock, slower by one part in
// 1000, until the clock catches up. When the clock steps forward, the store's time follows at once.
// Steps are counted and reported to the listener, and pruning waits after them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/sync/mutex.h"
#include "core/time/clock.h"
#include "longshore/store.h"

namespace longshore {

// A reading of a clock; `asked` and `answered` are times of Clock::steady().
struct ClockReading {
  Instant said;
  Duration asked;
  Duration answered;
};

// Safe to share between threads.
class StoreTime {
 public:
  // Smaller differences are not steps.
  static constexpr Duration tolerance = Duration::seconds(10);
  // How long pruning waits after a step forward.
  static constexpr Duration prune_wait = Duration::days(1);

  // The state that a store saves; empty for a new store.
  struct Saved {
    Instant highest;                    // the store's time is never less
    std::optional<Instant> stepped_at;  // the clock's time after its last step forward
  };
  explicit StoreTime(const Saved& saved);

  // Called with a message for each step, on the thread that detects it.
  void listen(std::function<void(const std::string&)> listener);

  // Applies a reading and returns the store's time. Each server has its own clock, identified by
  // its name.
  Instant heard(const ClockReading& reading, const std::string& server = {});
  // The store's time without reading a clock.
  Instant at(Duration steady) const;
  // Another node has given out this time.
  void raise(Instant told, Duration steady);

  Instant highest() const;
  std::optional<Instant> stepped_at() const;
  // Another node has detected a step.
  void learn_step(std::optional<Instant> stepped_at);
  // Jobs that ended before this can be pruned: the clock's time, if it is behind; none after a
  // step.
  Instant prune_by() const;
  // By how much the store's time has jumped since the last call.
  Duration take_jump();
  ClockReport report() const;

 private:
  // The bounds of a clock's offset from the steady clock.
  struct Offset {
    Duration least;
    Duration most;
  };

  void begin(const ClockReading& reading);
  std::string note_step(const ClockReading& reading, const std::string& server);
  void follow_clock(const ClockReading& reading);
  Instant extrapolated(Duration steady) const;
  bool waits_to_prune() const;
  std::string alarm() const;

  mutable Mutex mutex_;
  bool begun_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool behind_ LONGSHORE_GUARDED_BY(mutex_) = false;  // the clock is
  Instant said_ LONGSHORE_GUARDED_BY(mutex_);         // the clock's last reading
  Instant highest_ LONGSHORE_GUARDED_BY(mutex_);
  // The store's time at a time of the steady clock, from which it is extrapolated.
  Instant anchor_ LONGSHORE_GUARDED_BY(mutex_);
  Duration anchor_at_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<std::string, Offset> offsets_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<Instant> stepped_at_ LONGSHORE_GUARDED_BY(mutex_);
  Duration jumped_ LONGSHORE_GUARDED_BY(mutex_);
  std::int64_t steps_forward_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::int64_t steps_back_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::function<void(const std::string&)> listener_ LONGSHORE_GUARDED_BY(mutex_);
};

// Adds the alarm of the store's clock to the warnings of an audit.
Result<Audit> with_clock(Result<Audit> audit, const StoreTime& time);

// A store's time that follows a clock of this machine. Safe to share between threads.
class MonotonicClock {
 public:
  // `followed` must outlive this clock.
  MonotonicClock(Clock& followed, const StoreTime::Saved& saved)
      : followed_(followed), time_(saved) {}

  // Never earlier than the saved time or any earlier answer, on any thread.
  Instant now();
  // The latest answer so far, or the saved time. Does not read the followed clock.
  Instant highest() const { return time_.highest(); }
  StoreTime& time() { return time_; }
  const StoreTime& time() const { return time_; }

 private:
  Clock& followed_;
  StoreTime time_;
};

}  // namespace longshore
