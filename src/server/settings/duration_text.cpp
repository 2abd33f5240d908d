#include "server/settings/duration_text.h"

#include <array>
#include <charconv>

#include "core/text/time_text.h"

namespace longshore {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t millis;
};
constexpr std::array units = {Unit{"w", 604'800'000}, Unit{"d", 86'400'000}, Unit{"h", 3'600'000},
                              Unit{"m", 60'000},      Unit{"s", 1000},       Unit{"ms", 1}};

std::optional<std::int64_t> millis_in(std::string_view unit) {
  if (unit.empty()) return 1000;
  for (const Unit& known : units) {
    if (known.name == unit) return known.millis;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "never") return Duration::forever();
  double count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, count, std::chars_format::fixed);
  if (fault != std::errc()) return std::nullopt;
  const auto millis = millis_in({rest, end});
  if (!millis) return std::nullopt;
  return duration_from_seconds(count * static_cast<double>(*millis) / 1000.0);
}

std::string duration_text(Duration duration) {
  if (duration == Duration::forever()) return "never";
  for (const Unit& unit : units) {
    if (unit.name != "w" && duration.count() % unit.millis == 0 && duration.count() != 0) {
      return std::to_string(duration.count() / unit.millis) + std::string(unit.name);
    }
  }
  return "0s";
}

}  // namespace longshore
