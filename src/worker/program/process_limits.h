// What the system holds a process to.
#pragma once

#include <cstdint>

namespace longshore {

// 0: no more than it holds the worker to.
struct ProcessLimits {
  std::int64_t memory_bytes = 0;  // of address space
  std::int64_t cpu_seconds = 0;
  std::int64_t open_files = 0;
  std::int64_t processes = 0;   // of the process's user; root is not held to it
  std::int64_t file_bytes = 0;  // of each file that it writes
};

// For the process that calls it and those it starts. Safe in a child that shares its parent's
// memory.
void obey(const ProcessLimits& limits);

}  // namespace longshore
