// The delivery of an outcome is a job of its own, spawned in the commit that ends the first.
#pragma once

#include "longshore/command.h"
#include "longshore/job.h"

namespace longshore {

inline constexpr std::string_view callback_type = "longshore.callback";
inline constexpr std::string_view callback_queue = "longshore.callbacks";

// REQUIRES: `job` has just ended and has a callback. Deterministic: the same end of the same
// job gives the same id and once-key, so that it is delivered once however often it is tried.
NewJob callback_job(const Job& job);

}  // namespace longshore
