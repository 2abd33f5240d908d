// Whether depth costs speed: claims and enqueues with few and with many jobs waiting or finished,
// and what many jobs cost in memory, on disk and at opening.
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

// Opens a store, has jobs pass, and prints the seconds to the first claim and the MiB resident.
void open_and_tell(const std::string& path);

}  // namespace longshore::bench
