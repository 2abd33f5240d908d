// Runs many seeds and prints the results.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "sim/simulation.h"

namespace longshore::sim {

struct Campaign {
  Wanted first;
  std::int64_t seeds = 1;
  std::string kept;  // a file of seeds that failed before; run first
  bool trace = false;
  int failures_most = 5;  // stop after this many
};

Result<Campaign> parse_campaign(const std::vector<std::string>& words);

// Prints the commit and the first seed, each failed seed with its replay command, and at the end
// the number of seeds, the speed and the counters. True if all succeeded.
bool run_campaign(const Campaign& campaign, std::ostream& out);

// One line for each seed that ever failed: its arguments, then " # " and the reason. Empty lines
// and those that start with # are ignored.
Result<std::vector<Wanted>> read_kept_seeds(const std::string& path);

}  // namespace longshore::sim
