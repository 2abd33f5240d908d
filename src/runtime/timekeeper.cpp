#include "runtime/timekeeper.h"

#include <chrono>

#include "runtime/alarm.h"

namespace longshore {

Instant SystemTime::now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Instant::millis(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

void ManualTime::attach(Alarm& alarm) {
  MutexLock lock(mutex_);
  alarms_.insert(&alarm);
}

void ManualTime::detach(Alarm& alarm) {
  MutexLock lock(mutex_);
  alarms_.erase(&alarm);
}

void ManualTime::advance(Duration by) {
  MutexLock lock(mutex_);
  clock_.advance(by);
  for (Alarm* alarm : alarms_) alarm->wake();
}

}  // namespace longshore
