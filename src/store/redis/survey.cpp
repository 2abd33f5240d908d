#include "store/redis/survey.h"

#include <algorithm>
#include <tuple>

#include "store/redis/fields.h"
#include "store/redis/reader.h"
#include "store/redis/timetable.h"

namespace longshore::redis {

Result<Survey> take_survey(Channel& channel, const std::vector<std::string>& namespaces,
                           Table table, const judge::TimeSpan& span, std::int64_t limit,
                           const Survey& but_for) {
  Survey survey;
  if (namespaces.size() == 1) {
    survey.shares[namespaces[0]] = limit;
    return survey;
  }
  std::vector<std::tuple<Instant, JobId, std::string>> all;
  for (const std::string& ns : namespaces) {
    const Reader reader(channel, Keys(channel.url().prefix, ns));
    const auto head = reader.read({head_call(reader.keys(), table, span.from, span.until,
                                             limit + std::ssize(but_for.order))});
    if (!head) return head.error();
    for (const auto& [at, id] : read_times((*head)[0])) {
      const bool had = std::ranges::find(but_for.order, id) != but_for.order.end();
      if (!had) all.emplace_back(at, id, ns);
    }
  }
  std::ranges::sort(all);
  if (std::ssize(all) > limit) all.resize(static_cast<std::size_t>(limit));
  for (const auto& [at, id, ns] : all) {
    survey.shares[ns] += 1;
    survey.order.push_back(id);
  }
  return survey;
}

Instant read_time(const Reply& reply) {
  if (reply.items.size() != 2) return Instant();
  const std::int64_t seconds = read_integer(reply.items[0]);
  return Instant::millis(seconds * 1000 + read_integer(reply.items[1]) / 1000);
}

std::int64_t read_integer(const Reply& reply) {
  if (reply.kind == Reply::Kind::integer) return reply.integer;
  return parse_integer(reply.text).value_or(0);
}

}  // namespace longshore::redis
