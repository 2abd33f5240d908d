// Queued jobs that no claim could find. A commit writes a job and its place together, so there are
// none unless somebody else wrote to Redis; but a job that nobody runs is the worst that can happen
// here. Each queue's count of queued jobs is compared with the lengths of its lists; only where
// they differ is every job looked at.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/rules.h"
#include "store/redis/balance.h"
#include "store/redis/channel.h"
#include "store/redis/keys.h"

namespace longshore::redis {

struct Lost {
  // How many elements of a list are nobody's, and what was seen when they were counted.
  struct Recount {
    std::string list;
    std::int64_t length = 0;
    std::optional<std::string> stored;
    std::int64_t stale = 0;
    std::vector<std::string> twins = {};  // elements to be taken out: there is another
  };
  std::vector<JobId> jobs;                 // at most as many as asked
  std::map<std::string, Recount> recount;  // by the field of `stale`
  bool unexplained = false;  // the lists have what they should: it is the counts that are wrong
};

Result<Lost> find_lost(Channel& channel, const Keys& keys, const std::string& ns,
                       const Policy& usual, const Balance& balance, std::int64_t limit);

}  // namespace longshore::redis
