#include "worker/program/process_limits.h"

#include <sys/resource.h>

#include <algorithm>

namespace longshore {
namespace {

void limit(__rlimit_resource_t resource, std::int64_t most, std::int64_t margin = 0) {
  if (most <= 0) return;
  struct rlimit now = {};
  ::getrlimit(resource, &now);
  struct rlimit wanted = {static_cast<rlim_t>(most), static_cast<rlim_t>(most + margin)};
  wanted.rlim_max = std::min(wanted.rlim_max, now.rlim_max);
  wanted.rlim_cur = std::min(wanted.rlim_cur, wanted.rlim_max);
  ::setrlimit(resource, &wanted);
}

}  // namespace

void apply_limits(const ProcessLimits& limits) {
  limit(RLIMIT_AS, limits.memory_bytes);
  // The hard limit is a second higher, so that the program can handle SIGXCPU.
  limit(RLIMIT_CPU, limits.cpu_seconds, 1);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_NPROC, limits.processes);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  const struct rlimit no_dump = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_dump);
}

}  // namespace longshore
