// What time it is for one node, in two senses: the wall clock, by which its store judges, and a
// time that never jumps, by which its threads pace themselves. A test moves both by hand.
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
  // Never goes back; its zero means nothing.
  virtual Instant now() = 0;

  // Attached alarms are rung whenever time is moved by hand.
  virtual void attach(Alarm&) {}
  virtual void detach(Alarm&) {}
};

// The machine's own clocks.
class SystemTime final : public Timekeeper {
 public:
  Clock& wall() override { return wall_; }
  Instant now() override;

 private:
  SystemClock wall_;
};

// Stands still until advanced.
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
