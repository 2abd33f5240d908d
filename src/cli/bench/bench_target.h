// What `bench` measures: a server or a store, to which jobs are brought and from which they are
// taken.
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

  // Brings so many jobs in, in one call.
  virtual Result<Nothing> enqueue(int jobs) = 0;
  // Takes at most so many and completes them; answers how many there were.
  virtual Result<int> drain(int jobs) = 0;
};

struct BenchJobs {
  std::string queue;    // of its own, so that nobody's jobs are touched
  std::string payload;  // JSON
};

inline constexpr const char* bench_job_type = "bench.noop";

Result<std::unique_ptr<BenchTarget>> bench_server(const Settings& settings, BenchJobs jobs);
// Opens the store as a program that uses the library does.
Result<std::unique_ptr<BenchTarget>> bench_store(const Settings& settings, BenchJobs jobs);

}  // namespace longshore
