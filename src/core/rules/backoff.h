// How long a failed job waits before its next attempt.
#pragma once

#include "longshore/job.h"

namespace longshore {

// The wait after the `failures`-th counted failure (1, 2, 3, ...): base, twice base, four times
// base, ... up to the cap, then spread by jitter. The jitter depends on the job's id and the count
// only, so that equal jobs are not retried at the same time and a replay gives the same result.
Duration backoff_delay(const Backoff& backoff, int failures, const JobId& id);

}  // namespace longshore
