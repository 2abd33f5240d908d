// Reading the sorted sets of jobs by a time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longshore/id.h"
#include "longshore/time.h"
#include "store/redis/channel.h"
#include "store/redis/keys.h"
#include "store/redis/whereabouts.h"

namespace longshore::redis {

// The first members whose time is within [from, until].
Words head_call(const Keys& keys, Table table, Instant from, Instant until, std::int64_t limit);
std::vector<std::pair<Instant, JobId>> read_times(const Reply& reply);
// A score as Redis writes it.
Instant parse_score(const std::string& text);

}  // namespace longshore::redis
