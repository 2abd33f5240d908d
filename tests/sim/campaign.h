// Many seeds, one after the other, and what to print about them.
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
  std::string kept;  // a file of seeds that failed once; they go first
  bool trace = false;
  int failures_most = 5;  // enough to see a pattern
};

Result<Campaign> parse_campaign(const std::vector<std::string>& words);

// Prints the commit and the first seed before anything else, each bad seed with its replay, and
// at the end how many were run, how fast, and what they have seen. True: all were good.
bool run_campaign(const Campaign& campaign, std::ostream& out);

// One line for each seed that ever failed: its arguments, then " # " and the reason. Lines that
// start with # and empty ones say nothing.
Result<std::vector<Wanted>> read_kept_seeds(const std::string& path);

}  // namespace longshore::sim
