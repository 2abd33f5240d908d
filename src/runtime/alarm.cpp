#include "runtime/alarm.h"

#include <algorithm>

namespace longshore {

Alarm::Alarm(Timekeeper& time) : time_(time) { time_.attach(*this); }
Alarm::~Alarm() { time_.detach(*this); }

void Alarm::ring_for_ever() {
  for_ever_ = true;
  signal_.set();
}

void Alarm::wait_until(Instant at) {
  if (for_ever_) return signal_.set();  // for the next of several who wait
  const Duration left = at - time_.now();
  if (left <= Duration()) return;
  // The standard library adds this to its own clock, which must not overflow.
  signal_.wait_for(std::min(left, Duration::hours(1)));
  if (for_ever_) signal_.set();
}

}  // namespace longshore
