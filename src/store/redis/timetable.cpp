#include "store/redis/timetable.h"

#include <cstdlib>

namespace longshore::redis {

Words head_call(const Keys& keys, Table table, Instant from, Instant until, std::int64_t limit) {
  return {"ZRANGEBYSCORE",
          keys.one(table_names[static_cast<std::size_t>(table)]),
          from == Instant() ? "-inf" : std::to_string(from.count()),
          until == Instant::never() ? "+inf" : std::to_string(until.count()),
          "WITHSCORES",
          "LIMIT",
          "0",
          std::to_string(limit)};
}

std::vector<std::pair<Instant, JobId>> read_times(const Reply& reply) {
  std::vector<std::pair<Instant, JobId>> times;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    const auto id = parse_uuid(reply.items[i].text);
    if (id) times.emplace_back(parse_score(reply.items[i + 1].text), *id);
  }
  return times;
}

Instant parse_score(const std::string& text) {
  // What is beyond every time was Instant::never(), which a score cannot hold exactly.
  constexpr double beyond = 9.2e18;
  const double score = std::strtod(text.c_str(), nullptr);
  return score >= beyond ? Instant::never() : Instant::millis(static_cast<std::int64_t>(score));
}

}  // namespace longshore::redis
