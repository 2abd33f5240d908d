// What happens in a process that the zygote has forked: it runs the handlers it is told to, one job
// after another, until the worker is gone.
#pragma once

#include "worker/program/child.h"

namespace longshore {

struct HandlersProcess {
  int socket = -1;  // to the worker
  int stack = -1;   // where a crash is described
  ProcessLimits limits;
};

// REQUIRES: the calling process has one thread.
[[noreturn]] void become_handlers_process(const HandlersProcess& process);

}  // namespace longshore
