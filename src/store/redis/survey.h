// What is due in all namespaces together, oldest first. All of them are asked at once, and those
// that cannot be reached are left out.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/time.h"
#include "store/execute/transaction.h"
#include "store/redis/channel.h"
#include "store/redis/keys.h"
#include "store/redis/whereabouts.h"

namespace longshore::redis {

// What each namespace answered to the same calls, in order.
using NamespaceReplies = std::map<std::string, Result<std::vector<Reply>>>;
NamespaceReplies ask_each(Channel& channel, const std::vector<std::string>& namespaces,
                          const std::function<std::vector<Words>(const Keys&)>& calls);

struct Survey {
  std::map<std::string, std::int64_t> shares;  // how many of the oldest each namespace has
  std::vector<JobId> order;                    // the oldest, in order
  std::optional<Instant> next;                 // when the first job comes that is not among them
  std::map<std::string, Error> failed;         // namespaces that could not be asked
};

// The `limit` oldest jobs of the table whose time is within the span, but for those that another
// survey has. A single namespace has everything as its share, and is not asked.
Survey take_survey(Channel& channel, const std::vector<std::string>& namespaces, Table table,
                   const execute::TimeSpan& span, std::int64_t limit, const Survey& but_for = {});

// The earlier of two times, each of which may be none.
std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b);

// Answers of TIME, and of whatever counts; 0 for nothing.
Instant read_time(const Reply& reply);
std::int64_t read_integer(const Reply& reply);

}  // namespace longshore::redis
