// The same work with hand-written Lua: a hash per job, a list of ready jobs, a sorted set of
// leases. No history, no rules, no counts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/redis/link.h"

namespace longshore::bench {

inline constexpr int payload_bytes = 198;

// A connection that ends the program on an error of Redis.
class HandLink {
 public:
  explicit HandLink(const std::string& url);

  std::string load(const std::string& source);  // returns the SHA of the script
  redis::Reply ask(const std::vector<std::string>& words);
  // Sends the same command `count` times in one pipeline.
  void repeat(const std::vector<std::string>& words, int times);

 private:
  std::unique_ptr<redis::Link> link_;
};

// One connection.
class RedisByHand {
 public:
  explicit RedisByHand(const std::string& url);

  // Calls a script `count` times in one pipeline.
  void enqueue(int jobs);
  // Claims `count` jobs in one call. Holds the leases and returns their number.
  int claim(int jobs);
  // Completes all held leases in one call.
  void complete();

 private:
  HandLink link_;
  const std::string payload_;
  const std::string enqueue_;
  const std::string claim_;
  const std::string complete_;
  redis::Reply held_;
};

}  // namespace longshore::bench
