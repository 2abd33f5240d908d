// The main loop of a process forked by the zygote: runs one job after another until the worker
// is gone.
#pragma once

#include "worker/program/child.h"

namespace longshore {

struct HandlerProcessSetup {
  int socket = -1;  // to the worker
  int stack = -1;   // receives the stack trace of a crash
  ProcessLimits limits;
};

// REQUIRES: the calling process has one thread.
[[noreturn]] void run_handler_process(const HandlerProcessSetup& process);

}  // namespace longshore
