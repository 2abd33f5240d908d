#include "runtime/alarm.h"

#include <algorithm>
#include <chrono>

namespace longshore {

Alarm::Alarm(Timekeeper& time) : time_(time) { time_.attach(*this); }
Alarm::~Alarm() { time_.detach(*this); }

void Alarm::ring() {
  MutexLock lock(mutex_);
  if (rung_) return;
  rung_ = true;
  // Under the lock, since whoever is woken may destroy the alarm.
  changed_.notify_one();
}

void Alarm::ring_for_ever() {
  MutexLock lock(mutex_);
  for_ever_ = true;
  changed_.notify_all();
}

void Alarm::wait_until(Instant at) {
  MutexLock lock(mutex_);
  while (!rung_ && !for_ever_) {
    const Duration left = at - time_.now();
    if (left <= Duration()) break;
    // The standard library adds this to its own clock, which must not overflow.
    const Duration slice = std::min(left, Duration::hours(1));
    changed_.wait_for(mutex_, std::chrono::milliseconds(slice.count()));
  }
  rung_ = false;
}

}  // namespace longshore
