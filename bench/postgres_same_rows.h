// The same rows in the same tables as ours, written by hand in batches: one statement enqueues, one
// claims, one completes, and what does not differ from job to job stands in the statement. It has
// our histories, states and counts, but no rule: it knows that every job is queued at once, claimed
// once and completed, and looks neither for keys and limits nor for what was sent before.
#pragma once

#include <string>

#include "bench/postgres_hand.h"

namespace longshore::bench {

class PostgresSameRows {
 public:
  // The tables are those of a store of ours in `schema`, which nobody else uses.
  PostgresSameRows(const std::string& url, const std::string& schema, std::uint64_t seed);

  void enqueue(int jobs);
  // Claims so many and completes them. How many there were.
  int work(int jobs);

 private:
  HandConnection connection_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
};

// Ends the program unless finished jobs have values in the same columns in both schemas.
void expect_same_columns(const std::string& url, const std::string& ours, const std::string& other);

}  // namespace longshore::bench
