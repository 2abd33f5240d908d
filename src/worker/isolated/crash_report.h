// A process that crashes says where.
#pragma once

namespace longshore {

// From now on, whoever dies of SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT writes its stack to
// `file` first, a line for each function.
void describe_crashes(int file);

}  // namespace longshore
