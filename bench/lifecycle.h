// The store beside SQLite by hand: whole lifecycles, enqueues alone, and what each promise costs.
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
