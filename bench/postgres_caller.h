// One thread's way to the PostgreSQL store: commands in batches, as group commit makes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "longshore/store.h"

namespace longshore::bench {

[[noreturn]] void give_up(const std::string& why);

// Ends the program when the store refuses something.
class Caller {
 public:
  Caller(Store& store, std::uint64_t seed) : store_(store), random_(seed), ids_(random_) {}

  void enqueue(int jobs);
  // Claims so many and completes them. How many there were.
  int work(int jobs);
  // A claim for each job, as idle slots make them.
  std::vector<Lease> claim(int jobs);

 private:
  std::vector<Verdict> commit(const std::vector<Command>& commands);

  Store& store_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
};

// Seconds of processor time that a PostgreSQL server in this folder, all of its connections and
// this process have used so far. On a machine that others use too, this compares what the clock
// cannot.
double seconds_with_server(const std::string& folder);

}  // namespace longshore::bench
