#include "runtime/alarm.h"

#include <algorithm>

namespace longshore {

Alarm::Alarm(Timekeeper& time) : time_(time) { time_.attach(*this); }
Alarm::~Alarm() { time_.detach(*this); }

void Alarm::wake_forever() {
  forever_ = true;
  signal_.set();
}

void Alarm::wait_until(Instant at) {
  if (forever_) return signal_.set();  // for the next waiting thread
  const Duration left = at - time_.now();
  if (left <= Duration()) return;
  // Adding it to the monotonic clock must not overflow.
  signal_.wait_for(std::min(left, Duration::hours(1)));
  if (forever_) signal_.set();
}

}  // namespace longshore
