#include "core/clock.h"

#include <algorithm>
#include <chrono>

namespace longshore {

Instant SystemClock::now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Instant::millis(std::chrono::floor<std::chrono::milliseconds>(since_epoch).count());
}

std::int64_t steady_micros() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::floor<std::chrono::microseconds>(since_start).count();
}

void ManualClock::advance(Duration by) {
  Instant seen = now_.load();
  while (!now_.compare_exchange_weak(seen, seen + by)) {
  }
}

Instant MonotonicClock::now() {
  const Instant read = followed_.now();
  Instant seen = highest_.load();
  while (seen < read && !highest_.compare_exchange_weak(seen, read)) {
  }
  return std::max(seen, read);
}

}  // namespace longshore
