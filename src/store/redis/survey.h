// What is due in all namespaces together, oldest first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/time.h"
#include "store/judge/unit.h"
#include "store/redis/channel.h"
#include "store/redis/whereabouts.h"

namespace longshore::redis {

struct Survey {
  std::map<std::string, std::int64_t> shares;  // how many of the oldest each namespace has
  std::vector<JobId> order;                    // the oldest, in order
};

// The `limit` oldest jobs of the table whose time is within the span, but for those that another
// survey has. A single namespace has everything as its share, and is not asked.
Result<Survey> take_survey(Channel& channel, const std::vector<std::string>& namespaces,
                           Table table, const judge::TimeSpan& span, std::int64_t limit,
                           const Survey& but_for = {});

// Answers of TIME, and of whatever counts; 0 for nothing.
Instant read_time(const Reply& reply);
std::int64_t read_integer(const Reply& reply);

}  // namespace longshore::redis
