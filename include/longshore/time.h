// Times of a store, in whole milliseconds. An Instant is a point in time, a Duration a difference;
// mixing them up does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace longshore {

class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration millis(std::int64_t count) { return Duration(count); }
  static constexpr Duration seconds(std::int64_t count) { return Duration(count * 1000); }
  static constexpr Duration minutes(std::int64_t count) { return seconds(count * 60); }
  static constexpr Duration hours(std::int64_t count) { return minutes(count * 60); }
  static constexpr Duration days(std::int64_t count) { return hours(count * 24); }
  // From any duration of <chrono>, truncated to milliseconds, so that callers can write 5s.
  template <class Chrono>
  requires requires(const Chrono& other) {
    other.count();
    Chrono::period::num;
  }
  constexpr Duration(const Chrono& other)  // NOLINT
      : millis_(static_cast<std::int64_t>(in_millis<typename Chrono::period>(other.count()))) {}
  // Adding it to an Instant saturates.
  static constexpr Duration forever() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t count() const { return millis_; }
  constexpr double in_seconds() const { return static_cast<double>(millis_) / 1000.0; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Duration(a.millis_ + b.millis_);
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(a.millis_ - b.millis_);
  }
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }

 private:
  explicit constexpr Duration(std::int64_t count) : millis_(count) {}

  // Divides first where that is exact, so that nanoseconds do not overflow.
  template <class Period, class Count>
  static constexpr auto in_millis(Count count) {
    if constexpr (Period::den % 1000 == 0) {
      return count * Period::num / (Period::den / 1000);
    } else {
      return count * Period::num * 1000 / Period::den;
    }
  }

  std::int64_t millis_ = 0;
};

// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant millis(std::int64_t since_epoch) { return Instant(since_epoch); }
  static constexpr Instant never() { return Instant(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t count() const { return millis_; }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant at, Duration by) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (by.count() > 0 && at.millis_ > most - by.count()) return never();
    return Instant(at.millis_ + by.count());
  }
  friend constexpr Instant operator-(Instant at, Duration by) {
    return Instant(at.millis_ - by.count());
  }
  friend constexpr Duration operator-(Instant a, Instant b) {
    return Duration::millis(a.millis_ - b.millis_);
  }

 private:
  explicit constexpr Instant(std::int64_t since_epoch) : millis_(since_epoch) {}
  std::int64_t millis_ = 0;
};

// Rounded down to the second.
constexpr Instant whole_second(Instant at) {
  return at - Duration::millis((at.count() % 1000 + 1000) % 1000);
}

}  // namespace longshore
