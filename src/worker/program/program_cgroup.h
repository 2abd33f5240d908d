// A control group (cgroup v2) for each program, where one can be made: whatever the program starts
// stays in it and can be killed at once, however it detaches itself.
#pragma once

#include <string>

namespace longshore {

struct ProgramCgroup {
  std::string folder;  // empty: there is none, and the two below are empty too
  std::string procs;   // its cgroup.procs
  std::string kill;    // its cgroup.kill
};

// Names one that nobody else has; it is not made yet. None if this process can make none: without
// cgroup v2, without the right to, or on a system older than Linux 5.14. That is found out once.
ProgramCgroup next_program_cgroup();

// Writes a word to one of its files. False, with errno, if it cannot. Safe in a child that shares
// its parent's memory.
bool write_cgroup(const char* file, const char* word);

}  // namespace longshore
