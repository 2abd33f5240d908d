// What `bench` measures: a server or a store.
#pragma once

#include <memory>
#include <string>

#include "longshore/error.h"
#include "server/settings/settings.h"

namespace longshore {

// Safe to share between threads.
class BenchTarget {
 public:
  virtual ~BenchTarget() = default;

  // Enqueues `jobs` jobs in one call.
  virtual Result<Nothing> enqueue(int jobs) = 0;
  // Claims at most `jobs` jobs and completes them; returns how many it completed.
  virtual Result<int> drain(int jobs) = 0;
};

struct BenchJobs {
  std::string queue;    // a separate queue, so that no other jobs are touched
  std::string payload;  // JSON
};

inline constexpr const char* bench_job_type = "bench.noop";

Result<std::unique_ptr<BenchTarget>> bench_server(const Settings& settings, BenchJobs jobs);
// Opens the store in this process, like a program that uses the library.
Result<std::unique_ptr<BenchTarget>> bench_store(const Settings& settings, BenchJobs jobs);

}  // namespace longshore
