// A handler that runs in a process of its own, seen from the worker.
#pragma once

#include "longshore/worker.h"

namespace longshore {

// Calls `plain` in a process that the zygote forks, one for each job at a time; a process that
// lived through its job takes the next. What ends the process fails the job: its signal, with the
// stack, or the status it exited with.
Handler isolated_handler(PlainHandler plain, const HandlerOptions& options);

}  // namespace longshore
