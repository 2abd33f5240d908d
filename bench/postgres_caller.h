// Calls the PostgreSQL store from one thread with batches of commands, like group commit.
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

// Ends the program if the store rejects a command.
class Caller {
 public:
  Caller(Store& store, std::uint64_t seed) : store_(store), random_(seed), ids_(random_) {}

  void enqueue(int jobs);
  // Claims `count` jobs and completes them. Returns how many there were.
  int work(int jobs);
  // One claim per job, like those of idle slots.
  std::vector<Lease> claim(int jobs);

 private:
  std::vector<Verdict> commit(const std::vector<Command>& commands);

  Store& store_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
};

// Seconds of processor time that a PostgreSQL server in this folder, all of its connections and
// this process have used so far. Comparable on a busy machine, unlike wall time.
double seconds_with_server(const std::string& folder);

}  // namespace longshore::bench
