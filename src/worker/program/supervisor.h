// The supervisor of one program: a small process between the worker and the program. Orphaned
// descendants of the program become its children (PR_SET_CHILD_SUBREAPER), so that it can find and
// kill them even if they started a session of their own. If the worker is killed, the supervisor
// kills them all before it exits.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "worker/program/process_limits.h"

namespace longshore {

// Prepared in advance, since the supervisor may not allocate: it is forked from a process that has
// threads.
struct Launch {
  int input, output, errors;  // the program's standard files
  int control;  // a packet socket: signals come in, the end goes out; closed when the worker ends
  int report;   // where a StartFailure is written; closed once the program has started
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
  bool may_gain_rights;  // through setuid files
  const char* cgroup;    // to be created; null: none
  const char* cgroup_procs;
  const char* cgroup_kill;
};

// Why a program did not start.
struct StartFailure {
  enum class At { folder, user, program };
  At at = At::folder;
  int why = 0;  // as errno
};

// Sent once the program has ended.
struct SupervisedEnd {
  bool exited = false;    // else killed by a signal
  int value = 0;          // the exit status, or the signal
  bool all_gone = false;  // no descendants are left; else they are still being killed
};

// In a child process of the worker, with every signal blocked.
[[noreturn]] void supervise(Launch launch);

}  // namespace longshore
