// Formats numbers for people.
#pragma once

#include <cstdint>
#include <string>

#include "longshore/time.h"

namespace longshore {

std::string count_text(std::int64_t count);   // "12,345"
std::string rate_text(double per_second);     // "12,345/s", "0.5/s"
std::string bytes_text(std::uint64_t bytes);  // "1.5 GiB"
std::string age_text(Duration age);           // "350ms", "12s", "5m", "3h", "9d"
std::string jobs_text(std::int64_t count);    // "1 job", "2 jobs"

// The wall clock, and a monotonic clock.
Instant wall_now();
Instant steady_now();

}  // namespace longshore
