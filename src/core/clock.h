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
};

// The machine's wall clock. It may jump, also backwards.
class SystemClock final : public Clock {
 public:
  Instant now() override;
};

// Microseconds since some moment before this process began: says how long something took, whatever
// happens to the wall clock.
std::int64_t steady_micros();

// Stands still until told otherwise. May be moved backwards.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = {}) : now_(start) {}

  Instant now() override { return now_.load(); }
  void set(Instant now) { now_.store(now); }
  void advance(Duration by);

 private:
  std::atomic<Instant> now_;
};

// Follows another clock but never goes back, which is what a store's clock owes its leases.
// After a restart the floor is the highest time the store has written down, so that a machine
// whose clock was set back meanwhile cannot revive an ended lease.
class MonotonicClock final : public Clock {
 public:
  // `followed` must outlive this clock.
  MonotonicClock(Clock& followed, Instant floor) : followed_(followed), highest_(floor) {}

  // Never earlier than the floor or than any earlier answer, on any thread.
  Instant now() override;
  // The latest answer so far, or the floor. Does not look at the followed clock.
  Instant highest() const { return highest_.load(); }

 private:
  Clock& followed_;
  std::atomic<Instant> highest_;
};

}  // namespace longshore
