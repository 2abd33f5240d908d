#include "cli/terminal/figures.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>

namespace longshore {
namespace {

template <class Clock>
Instant now_of() {
  const auto since = Clock::now().time_since_epoch();
  return Instant::millis(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

}  // namespace

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string rate_text(double per_second) {
  if (per_second >= 10) return count_text(std::llround(per_second)) + "/s";
  return per_second == 0 ? "0/s" : fmt::format("{:.1f}/s", per_second);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string age_text(Duration age) {
  const std::int64_t millis = age.count();
  if (millis < 1000) return fmt::format("{}ms", millis);
  const std::int64_t seconds = millis / 1000;
  if (seconds < 100) return fmt::format("{}s", seconds);
  if (seconds < 100 * 60) return fmt::format("{}m", seconds / 60);
  if (seconds < 72 * 3600) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86400);
}

std::string jobs_text(std::int64_t count) {
  return count_text(count) + (count == 1 ? " job" : " jobs");
}

Instant wall_now() { return now_of<std::chrono::system_clock>(); }
Instant steady_now() { return now_of<std::chrono::steady_clock>(); }

}  // namespace longshore
