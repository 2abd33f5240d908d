// The same rows in the same tables as ours, written in batches by hand-written statements: one
// enqueues, one claims, one completes, with constants for values that do not differ between jobs.
// It has our histories, states and counts, but no rules: it assumes that every job is queued at
// once, claimed once and completed, and checks no keys, limits or duplicates.
#pragma once

#include <string>

#include "bench/postgres_hand.h"

namespace longshore::bench {

class SameRowsQueue : public HandQueue {
 public:
  // Uses the tables of one of our stores in `schema`, which must not be in use.
  SameRowsQueue(const std::string& url, const std::string& schema, std::uint64_t seed);

  // Claims `count` jobs and completes them. Returns how many there were.
  int work(int jobs);
};

// Ends the program unless both schemas have the same number of rows in each table and of jobs in
// each state, and finished jobs have values in the same columns.
void expect_same_rows(const std::string& url, const std::string& ours, const std::string& other);

}  // namespace longshore::bench
