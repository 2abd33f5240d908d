// The same keys as ours, written by hand in batches: one script enqueues, one claims, one
// completes, each a call for many jobs that touches every structure once, and what does not differ
// from job to job is made once. It has our hashes, lists, sets and counts, but no rule:
// it knows that every job is queued at once, claimed once and completed, and looks neither for ids,
// keys, limits and pauses nor for what was sent before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/redis_hand.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/uuid.h"

namespace longshore::bench {

// What the names of its keys begin with.
inline constexpr const char* same_keys_prefix = "same";

// One connection at work.
class RedisSameKeys {
 public:
  RedisSameKeys(const std::string& url, std::uint64_t seed);

  void enqueue(int jobs);
  // How many there were; they are held.
  int claim(int jobs);
  // All that is held.
  void complete();

 private:
  std::vector<std::string> call(const std::string& script) const;

  HandLink link_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
  const std::string payload_;
  const std::string enqueue_;
  const std::string claim_;
  const std::string complete_;
  redis::Reply held_;
};

// Ends the program unless both prefixes have the same keys: names and types, how many of each kind,
// how long each structure is, and which fields the hashes have, those of jobs by their state. What
// connections leave behind to recognise a server that lost writes is ours alone.
void expect_same_keys(const std::string& url, const std::string& ours, const std::string& other);

}  // namespace longshore::bench
