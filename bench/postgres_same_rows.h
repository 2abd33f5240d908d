// The same rows in the same tables as ours, written by hand in batches: one statement enqueues, one
// claims, one completes, and what does not differ from job to job stands in the statement. It has
// our histories, states and counts, but no rule: it knows that every job is queued at once, claimed
// once and completed, and looks neither for keys and limits nor for what was sent before.
#pragma once

#include <string>

#include "bench/postgres_hand.h"

namespace longshore::bench {

class SameRowsQueue : public HandQueue {
 public:
  // The tables are those of a store of ours in `schema`, which nobody else uses.
  SameRowsQueue(const std::string& url, const std::string& schema, std::uint64_t seed);

  // Claims so many and completes them. How many there were.
  int work(int jobs);
};

// Ends the program unless both schemas hold as many rows in each table, count as many jobs in each
// state, and finished jobs have values in the same columns.
void expect_same_rows(const std::string& url, const std::string& ours, const std::string& other);

}  // namespace longshore::bench
