// A child process with its pipes. The destructor closes and reaps it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "longshore/error.h"
#include "worker/program/descriptor.h"
#include "worker/program/process_limits.h"
#include "worker/program/program_cgroup.h"
#include "worker/program/program_user.h"

namespace longshore {

struct ChildStart {
  const std::string& path;
  const std::string&
      input;  // its standard input; a file, so that nothing has to write it to a pipe
  const std::vector<std::string>& environment;
  const std::string& folder;  // its working directory; empty: the worker's
  ProcessLimits limits = {};
  const ProgramUser* user = nullptr;  // null: the worker's user
  bool may_gain_rights = false;       // through setuid files
  bool in_cgroup = true;              // if possible
};

// Kills the process group of every Child of this process with SIGKILL. Threads that wait for one
// see it end. Safe to call from any thread.
void kill_all_children();

class Child {
 public:
  // The child gets three files and no others, its own process group, and no signal blocked or
  // ignored.
  // A supervisor process runs between it and this one (see supervisor.h): when the child or this
  // process ends for any reason, everything that the child started is killed.
  static Result<Child> start(const ChildStart& start);
  ~Child();  // kills and reaps
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  // Readable once the child and its descendants have ended.
  int ended() const { return control_.number(); }
  // To the whole process group.
  void signal(int number) const;
  // REQUIRES: it has ended, or is about to.
  // As in waitid: the exit status, or the signal that killed it.
  struct End {
    bool exited = false;
    int value = 0;
  };
  End reap();

  Descriptor output;
  Descriptor errors;

 private:
  Child() = default;
  pid_t supervisor_ = -1;
  Descriptor control_;
  ProgramCgroup cgroup_;
};

}  // namespace longshore
