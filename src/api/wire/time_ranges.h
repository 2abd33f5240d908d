// Lengths of time that several requests take alike.
#pragma once

#include "api/wire/fields.h"
#include "core/text/time_text.h"

namespace longshore {

inline constexpr SecondsRange delay_range = {0, duration_max.in_seconds(),
                                             "must be from 0 to 315576000000 seconds"};

// Half a millisecond is the least that does not round to nothing.
inline constexpr SecondsRange timeout_range = {
    0.0005, duration_max.in_seconds(),
    "must be more than 0 and at most 315576000000 seconds; a millisecond is the resolution"};

static_assert(duration_max == Duration::seconds(315'576'000'000));

}  // namespace longshore
