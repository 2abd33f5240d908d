// The two times of a node: the wall clock for its store, and a monotonic time by which its threads
// wait. Tests move both.
#pragma once

#include <set>

#include "core/sync/mutex.h"
#include "core/time/clock.h"

namespace longshore {

class Alarm;

// Safe to share between threads.
class Timekeeper {
 public:
  virtual ~Timekeeper() = default;

  virtual Clock& wall() = 0;
  // Monotonic; its zero is arbitrary.
  virtual Instant now() = 0;

  // Attached alarms are woken whenever a test moves the time.
  virtual void attach(Alarm&) {}
  virtual void detach(Alarm&) {}
};

// The machine's clocks.
class SystemTime final : public Timekeeper {
 public:
  Clock& wall() override { return wall_; }
  Instant now() override;

 private:
  SystemClock wall_;
};

// For tests: changes only by advance().
class ManualTime final : public Timekeeper {
 public:
  explicit ManualTime(Instant start) : clock_(start) {}

  Clock& wall() override { return clock_; }
  Instant now() override { return clock_.now(); }
  void attach(Alarm& alarm) override;
  void detach(Alarm& alarm) override;

  void advance(Duration by);

 private:
  ManualClock clock_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::set<Alarm*> alarms_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
