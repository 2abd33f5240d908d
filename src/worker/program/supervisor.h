// The supervisor of one program: a small process between the worker and the program. Whatever the
// program starts becomes the supervisor's child when its own parent ends (PR_SET_CHILD_SUBREAPER),
// so that it can be found and killed even if it made a session of its own; and when the worker is
// killed, the supervisor lives for long enough to kill them all.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "worker/program/process_limits.h"

namespace longshore {

// What the supervisor needs. It is made beforehand, since it may not allocate: it is forked from a
// process that has threads.
struct Launch {
  int input, output, errors;  // the program's standard files
  int control;  // a socket for packets: signals come in, the end goes out. Its end is the worker's
  int report;   // where a Misfortune is written; closed once the program has started
  const char* folder;  // may be null
  const char* path;
  char* const* arguments;
  char* const* variables;
  const ProcessLimits* limits;
  bool changes_user;
  uid_t user;
  gid_t group;
  const gid_t* groups;
  std::size_t group_count;
  bool may_gain_rights;  // by setuid files
  const char* cgroup;    // to be made; null: none
  const char* cgroup_procs;
  const char* cgroup_kill;
};

// Why a program did not start.
struct Misfortune {
  enum class At { folder, user, program };
  At at = At::folder;
  int why = 0;  // as errno
};

// What is sent once the program has ended.
struct SupervisedEnd {
  bool exited = false;    // else killed by a signal
  int value = 0;          // the status, or the signal
  bool all_gone = false;  // nothing of what it started is left; else that is still being killed
};

// In a child process of the worker, with every signal blocked.
[[noreturn]] void supervise(Launch launch);

}  // namespace longshore
