// Runs a handler in a separate process (the worker's side).
#pragma once

#include "longshore/worker.h"

namespace longshore {

// Calls `plain` in a process forked by the zygote, one per concurrent job. A process that survives
// its job is reused. If it dies, the job fails with the signal and the stack, or with the exit
// status.
Handler isolated_handler(PlainHandler plain, const HandlerOptions& options);

}  // namespace longshore
