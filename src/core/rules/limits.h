// How much a job may bring, for every way in: HTTP, the library and the stores' own checks.
#pragma once

#include <cstddef>

#include "core/text/time_text.h"

namespace longshore {

inline constexpr std::size_t tags_max = 16;
inline constexpr std::size_t metadata_pairs_max = 64;
inline constexpr std::size_t metadata_bytes_max = 16 * 1024;
inline constexpr std::size_t url_bytes_max = 2048;

// A delay, a timeout or a back-off is at most this long, and so is every other duration.
inline constexpr Duration delay_max = duration_max;

}  // namespace longshore
