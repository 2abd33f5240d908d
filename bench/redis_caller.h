// Calls the Redis store from one thread with batches of commands, like group commit.
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

class RedisCaller {
 public:
  RedisCaller(Store& store, std::uint64_t seed) : store_(store), random_(seed), ids_(random_) {}

  void enqueue(int jobs);
  // One claim per job, like those of idle slots. Holds the leases and returns their number.
  int claim(int jobs);
  // Completes all held leases.
  void complete();

 private:
  std::vector<Verdict> commit(const std::vector<Command>& commands);

  Store& store_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
  std::vector<Lease> held_;
};

}  // namespace longshore::bench
