// Writes a stack trace when the process crashes.
#pragma once

namespace longshore {

// From now on, SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT write the stack to `file`, one line per
// function, before the process dies.
void describe_crashes(int file);

}  // namespace longshore
