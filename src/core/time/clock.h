// Clocks. The rules take the time as a parameter; only stores and the runtime read a clock. All
// clocks here are safe to share between threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "longshore/time.h"

namespace longshore {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() = 0;
  // The time since some fixed point, unaffected by changes of the clock.
  virtual Duration steady() = 0;
};

// The machine's wall clock. It can jump forwards and backwards.
class SystemClock final : public Clock {
 public:
  Instant now() override;
  // Includes time during which the machine was suspended.
  Duration steady() override;
};

// Microseconds since some fixed point before the process started, for measuring durations.
std::int64_t steady_micros();

// A clock for tests, which moves only by these calls. It can be set back.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = {}) : now_(start) {}

  Instant now() override { return now_.load(); }
  Duration steady() override { return Duration::millis(passed_.load()); }
  // Moving forwards counts as time passing; moving backwards does not.
  void set(Instant now) { advance(now - now_.load()); }
  void advance(Duration by);
  // Sets the clock without time passing.
  void step(Duration by);

 private:
  std::atomic<Instant> now_;
  std::atomic<std::int64_t> passed_ = 0;  // milliseconds
};

}  // namespace longshore
