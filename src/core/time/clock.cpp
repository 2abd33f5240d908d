#include "core/time/clock.h"

#include <chrono>
#include <ctime>

namespace longshore {

Instant SystemClock::now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Instant::millis(std::chrono::floor<std::chrono::milliseconds>(since_epoch).count());
}

Duration SystemClock::steady() {
  timespec passed{};
  ::clock_gettime(CLOCK_BOOTTIME, &passed);
  return Duration::millis(passed.tv_sec * 1000 + passed.tv_nsec / 1'000'000);
}

std::int64_t steady_micros() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::floor<std::chrono::microseconds>(since_start).count();
}

void ManualClock::advance(Duration by) {
  step(by);
  if (by > Duration()) passed_ += by.count();
}

void ManualClock::step(Duration by) {
  Instant seen = now_.load();
  while (!now_.compare_exchange_weak(seen, seen + by)) {
  }
}

}  // namespace longshore
