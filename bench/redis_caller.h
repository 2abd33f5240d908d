// One thread's way to the Redis store: commands in batches, as group commit makes them.
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
  // A claim for each job, as idle slots make them. How many there were; they are held.
  int claim(int jobs);
  // All that is held.
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
