// One child process and the ends of its pipes, closed and reaped whatever happens.
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
  const std::string& input;  // what it reads; a file, so that nobody has to feed it
  const std::vector<std::string>& environment;
  const std::string& folder;  // its working directory; empty: the worker's
  ProcessLimits limits = {};
  const ProgramUser* user = nullptr;  // null: the worker's own
  bool may_gain_rights = false;       // by setuid files
  bool in_cgroup = true;              // where one can be made
};

// Every group that a Child of this process leads, at once and without mercy. Whoever waits for one
// sees it end. Safe to call from any thread.
void kill_all_children();

class Child {
 public:
  // It gets three files and no others, a group of its own, and no signal blocked or ignored. A
  // supervisor stands between it and this process (see supervisor.h): when the child ends, or this
  // process does, however that comes about, everything that the child started is killed.
  static Result<Child> start(const ChildStart& start);
  ~Child();  // kills and reaps
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  // Readable once it has ended, and what it started with it.
  int ended() const { return control_.number(); }
  // To the whole process group.
  void signal(int number) const;
  // REQUIRES: it has ended, or is about to.
  // As waitid says: the status, or the signal that killed it.
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
