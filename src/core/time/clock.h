// Where "now" comes from. Rules take an Instant as a parameter; only whoever stands at the rim
// asks a clock. All clocks here are safe to share between threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "longshore/time.h"

namespace longshore {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() = 0;
  // How much time has passed since some moment, whatever was done to the clock meanwhile.
  virtual Duration steady() = 0;
};

// The machine's wall clock. It may jump, also backwards.
class SystemClock final : public Clock {
 public:
  Instant now() override;
  // Time in which the machine was suspended counts.
  Duration steady() override;
};

// Microseconds since some moment before this process began: says how long something took, whatever
// happens to the wall clock.
std::int64_t steady_micros();

// Stands still until told otherwise. May be moved backwards.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = {}) : now_(start) {}

  Instant now() override { return now_.load(); }
  Duration steady() override { return Duration::millis(passed_.load()); }
  // Time passes. To go back is to be set: no time passes.
  void set(Instant now) { advance(now - now_.load()); }
  void advance(Duration by);
  // The clock is set to another time, and no time passes.
  void step(Duration by);

 private:
  std::atomic<Instant> now_;
  std::atomic<std::int64_t> passed_ = 0;  // milliseconds
};

}  // namespace longshore
