// Resource limits of a process.
#pragma once

#include <cstdint>

namespace longshore {

// 0: the worker's own limit.
struct ProcessLimits {
  std::int64_t memory_bytes = 0;  // of address space
  std::int64_t cpu_seconds = 0;
  std::int64_t open_files = 0;
  std::int64_t processes = 0;   // of the process's user; not enforced for root
  std::int64_t file_bytes = 0;  // of each file that it writes
};

// Applies to the calling process and its children. Safe in a child that shares its parent's memory.
void apply_limits(const ProcessLimits& limits);

}  // namespace longshore
