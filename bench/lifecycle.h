// The store compared with hand-written SQLite code: life cycles, enqueues, and the cost of each
// guarantee.
#pragma once

#include <cstdint>
#include <string>

#include "bench/measure.h"

namespace longshore::bench {

struct LifecycleSizes {
  int rounds = 5;
  std::int64_t jobs = 6400;  // of each round
};

void measure_lifecycle(Report& report, const std::string& directory, const LifecycleSizes& sizes);

}  // namespace longshore::bench
