// How long a failed job waits before its next attempt.
#pragma once

#include "longshore/job.h"

namespace longshore {

// The wait after the `failures`-th counted failure (1, 2, 3, ...): base, twice base, four times
// base, ... up to the cap, then spread by jitter. The spread is a function of the job and the
// count, so that equal jobs do not return in step and a replay gives the same answer.
Duration backoff_delay(const Backoff& backoff, int failures, const JobId& id);

}  // namespace longshore
