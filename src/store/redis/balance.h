// What a namespace counts and how long its lists are, as of one moment: the two must fit. That they
// do costs little to see, so every sweep looks; only where they differ is every job looked at.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "longshore/error.h"
#include "store/redis/channel.h"
#include "store/redis/keys.h"

namespace longshore::redis {

struct Balance {
  std::map<std::string, std::int64_t> counts;   // write_back.h: count_field()
  std::map<std::string, std::int64_t> stale;    // stale_field(): elements that are nobody's
  std::map<std::string, std::int64_t> lengths;  // stale_field(): of the lists that claims look into
  std::int64_t letters = 0;                     // how many dead letters are listed
};

Result<Balance> read_balance(Channel& channel, const Keys& keys);

// Fields and numbers, as HGETALL answers them.
std::map<std::string, std::int64_t> read_sums(const Reply& reply);

}  // namespace longshore::redis
