// A store's time: follows a clock, but never goes back and never stands still for long.
//
// While the clock is behind, the store's time goes on at the pace of a steady one, a thousandth
// slower, until the two meet again. When the clock steps forward, the store's time follows at once.
// Steps are counted, told to whoever listens, and waited out before anything is pruned.
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

// What a clock said, and when: it was asked and has answered by Clock::steady().
struct ClockReading {
  Instant said;
  Duration asked;
  Duration answered;
};

// Safe to share between threads.
class StoreTime {
 public:
  // Smaller differences are neither steps nor told.
  static constexpr Duration tolerance = Duration::seconds(10);
  // How much time must pass after a step forward before anything is pruned.
  static constexpr Duration prune_wait = Duration::days(1);

  // What a store has written down. A new one has nothing.
  struct Saved {
    Instant highest;                    // the store's time is never less
    std::optional<Instant> stepped_at;  // what the clock said after its last step forward
  };
  explicit StoreTime(const Saved& saved);

  // Hears of each step, in words, on the thread that finds it.
  void listen(std::function<void(const std::string&)> listener);

  // The store's time, now that a clock has answered. Several servers may each have a clock: their
  // names tell them apart.
  Instant heard(const ClockReading& reading, const std::string& server = {});
  // The store's time as far as it is known without asking a clock.
  Instant at(Duration steady) const;
  // Somebody was told this time.
  void raise(Instant told, Duration steady);

  Instant highest() const;
  std::optional<Instant> stepped_at() const;
  // Another node has seen a step.
  void learn_step(std::optional<Instant> stepped_at);
  // What ended before this may be pruned: the clock, if it is behind; nothing after a step.
  Instant prune_by() const;
  // By how much the store's time has jumped since this was asked last.
  Duration take_jump();
  ClockReport report() const;

 private:
  // How far a clock is ahead of the steady one: at least and at most.
  struct Offset {
    Duration least;
    Duration most;
  };

  void begin(const ClockReading& reading);
  std::string note_step(const ClockReading& reading, const std::string& server);
  void go_on(const ClockReading& reading);
  Instant carried(Duration steady) const;
  bool waits_to_prune() const;
  std::string alarm() const;

  mutable Mutex mutex_;
  bool begun_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool behind_ LONGSHORE_GUARDED_BY(mutex_) = false;  // the clock is
  Instant said_ LONGSHORE_GUARDED_BY(mutex_);         // by the clock, last
  Instant highest_ LONGSHORE_GUARDED_BY(mutex_);
  // The store's time when the steady clock said so; it goes on from there.
  Instant anchor_ LONGSHORE_GUARDED_BY(mutex_);
  Duration anchor_at_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<std::string, Offset> offsets_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<Instant> stepped_at_ LONGSHORE_GUARDED_BY(mutex_);
  Duration jumped_ LONGSHORE_GUARDED_BY(mutex_);
  std::int64_t steps_forward_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::int64_t steps_back_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::function<void(const std::string&)> listener_ LONGSHORE_GUARDED_BY(mutex_);
};

// Whoever has a store checked is told about its clock as well.
Result<Audit> with_clock(Result<Audit> audit, const StoreTime& time);

// A store's time that follows a clock of this machine. Safe to share between threads.
class MonotonicClock {
 public:
  // `followed` must outlive this clock.
  MonotonicClock(Clock& followed, const StoreTime::Saved& saved)
      : followed_(followed), time_(saved) {}

  // Never earlier than what was saved or than any earlier answer, on any thread.
  Instant now();
  // The latest answer so far, or what was saved. Does not look at the followed clock.
  Instant highest() const { return time_.highest(); }
  StoreTime& time() { return time_; }
  const StoreTime& time() const { return time_; }

 private:
  Clock& followed_;
  StoreTime time_;
};

}  // namespace longshore
