// Calls of many tags, spread over the primaries that hold them.
#pragma once

#include <span>
#include <vector>

#include "longshore/error.h"
#include "store/redis/channel.h"
#include "store/redis/journey.h"
#include "store/redis/lane.h"

namespace longshore::redis {

// As Channel::exchange_each.
std::vector<Result<Reply>> fan_out(const Ways& ways, Lane& lane,
                                   std::span<const TaggedWords> calls);

}  // namespace longshore::redis
