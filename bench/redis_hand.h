// The same work as Lua would be written by hand for it: a hash for each job, a list of ready ones,
// a sorted set of leases. It keeps no history, judges nothing and counts nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/redis/link.h"

namespace longshore::bench {

// One connection at work.
class RedisByHand {
 public:
  explicit RedisByHand(const std::string& url);

  // So many calls of a script in one pipeline.
  void enqueue(int jobs);
  // Claims so many in one call, and completes them in another. How many there were.
  int work(int jobs);

 private:
  std::string load(const std::string& source);
  redis::Reply ask(const std::vector<std::string>& words);

  std::unique_ptr<redis::Link> link_;
  const std::string payload_;
  std::string enqueue_;
  std::string claim_;
  std::string complete_;
};

}  // namespace longshore::bench
