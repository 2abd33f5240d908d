// The same keys as ours, written in batches by hand-written scripts: one enqueues, one claims, one
// completes, each a call for many jobs that touches every structure once and builds values that all
// jobs share once. It has our hashes, lists, sets and counts, but no rules: it assumes that every
// job is queued at once, claimed once and completed, and checks no ids, keys, limits, pauses or
// duplicates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/redis_hand.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"

namespace longshore::bench {

// The prefix of its keys.
inline constexpr const char* same_keys_prefix = "same";

// One connection.
class RedisSameKeys {
 public:
  RedisSameKeys(const std::string& url, std::uint64_t seed);

  void enqueue(int jobs);
  // Holds the leases and returns their number.
  int claim(int jobs);
  // Completes all held leases.
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
// how long each structure is, and which fields the hashes have, those of jobs by their state. Only
// our store has the keys by which connections recognise a server that lost writes.
void expect_same_keys(const std::string& url, const std::string& ours, const std::string& other);

}  // namespace longshore::bench
