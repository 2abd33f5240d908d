// Times and durations as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longshore/time.h"

namespace longshore {

// RFC 3339 in UTC with three digits of milliseconds: "2026-11-15T02:22:00.123Z". Times outside
// the years 0000 to 9999 are written as the nearest one inside.
std::string to_text(Instant at);

// Reads any RFC 3339 time: any offset, `t` and `z` in either case, a fraction of any length (cut
// to milliseconds), and a leap second, which counts as the second after it. None for days that do
// not exist, for a second 60 that does not end a UTC day, for times outside the years 0000 to 9999
// in UTC, and for other text.
std::optional<Instant> parse_time(std::string_view text);

// Ten thousand years. Adding it to any time that parse_time returns cannot overflow.
inline constexpr Duration duration_max = Duration::days(3'652'500);

// Rounds to whole milliseconds, halves up. None for negative or non-finite numbers and for those
// beyond duration_max.
std::optional<Duration> duration_from_seconds(double seconds);

}  // namespace longshore
