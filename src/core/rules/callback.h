// The delivery of an outcome is a separate job, spawned in the commit that ends the first.
#pragma once

#include "longshore/command.h"
#include "longshore/job.h"

namespace longshore {

inline constexpr std::string_view callback_type = "longshore.callback";
inline constexpr std::string_view callback_queue = "longshore.callbacks";

// REQUIRES: `job` has just ended and has a callback. Deterministic: the same end of the same job
// gives the same id and once-key, so that repeating the commit creates one callback.
NewJob callback_job(const Job& job);

}  // namespace longshore
