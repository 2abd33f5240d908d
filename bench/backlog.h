// Whether a backlog costs speed: claims and enqueues with few and with many jobs waiting or
// finished, and the memory, disk space and opening time that many jobs need.
#pragma once

#include <cstdint>
#include <string>

#include "bench/measure.h"

namespace longshore::bench {

struct BacklogSizes {
  std::int64_t few = 1000;          // waiting
  std::int64_t many = 200'000;      // waiting
  std::int64_t finished = 200'000;  // behind few waiting
  std::int64_t most = 1'000'000;    // waiting, for the memory they take
  std::int64_t keys = 32'000;       // enqueued in each round
  int rounds = 9;
};

void measure_backlog(Report& report, const std::string& directory, const BacklogSizes& sizes);

// Opens a store, runs jobs, and prints the seconds to the first claim and the resident MiB.
void open_and_tell(const std::string& path);

}  // namespace longshore::bench
