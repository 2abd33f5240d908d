// The same work as Lua would be written by hand for it: a hash for each job, a list of ready ones,
// a sorted set of leases. It keeps no history, judges nothing and counts nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/redis/link.h"

namespace longshore::bench {

inline constexpr int payload_bytes = 198;

// A connection that ends the program when Redis does not do as it is told.
class HandLink {
 public:
  explicit HandLink(const std::string& url);

  std::string load(const std::string& source);  // what EVALSHA calls the script
  redis::Reply ask(const std::vector<std::string>& words);
  // So many times the same, at once.
  void repeat(const std::vector<std::string>& words, int times);

 private:
  std::unique_ptr<redis::Link> link_;
};

// One connection at work.
class RedisByHand {
 public:
  explicit RedisByHand(const std::string& url);

  // So many calls of a script in one pipeline.
  void enqueue(int jobs);
  // So many in one call. How many there were; they are held.
  int claim(int jobs);
  // All that is held, in one call.
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
