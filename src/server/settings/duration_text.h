// Durations of options as text: "90d", "1.5h", "30" (seconds), "never".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longshore/time.h"

namespace longshore {

// A number of seconds, or a number with one of the units ms, s, m, h, d, w; "never" is
// Duration::forever(). Nothing for any other text, for negative numbers, and for more than ten
// thousand years.
std::optional<Duration> parse_duration(std::string_view text);

// In the largest exact unit: "90d", "1500ms", "never".
std::string duration_text(Duration duration);

}  // namespace longshore
