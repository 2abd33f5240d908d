#include "store/redis/balance.h"

#include "store/redis/scripts.h"
#include "store/redis/survey.h"

namespace longshore::redis {

Result<Balance> read_balance(Channel& channel, const Keys& keys) {
  const ScriptCall call{.script = &balance_script(), .keys = {keys.meta()}};
  const auto reply = channel.run(keys.tag(), call, false);
  if (!reply) return reply.error();
  if (reply->is_error()) return error_of(*reply, channel.url().shown);
  if (reply->items.size() != 4) {
    return Error{.code = Errc::corrupt, .message = "cannot read what the balance script answered"};
  }
  const std::vector<Reply>& items = reply->items;
  return Balance{.counts = read_sums(items[0]),
                 .stale = read_sums(items[1]),
                 .lengths = read_sums(items[3]),
                 .letters = items[2].integer};
}

std::map<std::string, std::int64_t> read_sums(const Reply& reply) {
  std::map<std::string, std::int64_t> sums;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    sums[reply.items[i].text] = read_integer(reply.items[i + 1]);
  }
  return sums;
}

}  // namespace longshore::redis
