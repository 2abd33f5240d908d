// A control group (cgroup v2) for each program, where possible: all descendants of the program stay
// in it and can be killed together, however they detach themselves.
#pragma once

#include <string>

namespace longshore {

struct ProgramCgroup {
  std::string folder;  // empty: no cgroup, and the two below are empty too
  std::string procs;   // its cgroup.procs
  std::string kill;    // its cgroup.kill
};

// A unique name; the cgroup is not created yet. Empty if this process cannot create one: no cgroup
// v2, no permission, or a kernel older than Linux 5.14. Checked once.
ProgramCgroup next_program_cgroup();

// Writes to one of its files. False, with errno, on failure. Safe in a child that shares its
// parent's memory.
bool write_cgroup(const char* file, const char* word);

}  // namespace longshore
