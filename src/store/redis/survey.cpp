#include "store/redis/survey.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "store/redis/fields.h"
#include "store/redis/timetable.h"

namespace longshore::redis {
namespace {

std::optional<Instant> first_of(const Reply& reply) {
  const auto times = read_times(reply);
  return times.empty() ? std::nullopt : std::optional(times.front().first);
}

}  // namespace

NamespaceReplies ask_each(Channel& channel, const std::vector<std::string>& namespaces,
                          const std::function<std::vector<Words>(const Keys&)>& calls) {
  std::vector<TaggedWords> all;
  std::vector<std::size_t> counts;
  for (const std::string& ns : namespaces) {
    const Keys keys(channel.url().prefix, ns);
    std::vector<Words> own = calls(keys);
    counts.push_back(own.size());
    for (Words& words : own) all.push_back({.tag = keys.tag(), .words = std::move(words)});
  }
  auto replies = channel.exchange_each(all);
  NamespaceReplies answers;
  auto next = replies.begin();
  for (std::size_t i = 0; i < namespaces.size(); ++i) {
    Result<std::vector<Reply>> answer = std::vector<Reply>();
    for (std::size_t left = counts[i]; left > 0; --left, ++next) {
      if (!*next) answer = next->error();
      if (answer) answer->push_back(std::move(**next));
    }
    answers.insert_or_assign(namespaces[i], std::move(answer));
  }
  return answers;
}

Survey take_survey(Channel& channel, const std::vector<std::string>& namespaces, Table table,
                   const execute::TimeSpan& span, std::int64_t limit, const Survey& but_for) {
  Survey survey;
  if (namespaces.size() == 1) {
    survey.shares[namespaces[0]] = limit;
    return survey;
  }
  const auto replies = ask_each(channel, namespaces, [&](const Keys& keys) {
    const Instant after = span.until + Duration::millis(1);
    return std::vector<Words>{
        head_call(keys, table, span.from, span.until, limit + std::ssize(but_for.order)),
        head_call(keys, table, after, Instant::never(), 1)};
  });
  std::vector<std::tuple<Instant, JobId, std::string>> all;
  for (const auto& [ns, answer] : replies) {
    if (!answer) {
      survey.failed.emplace(ns, answer.error());
      continue;
    }
    survey.next = earlier(survey.next, first_of((*answer)[1]));
    for (const auto& [at, id] : read_times((*answer)[0])) {
      const bool had = std::ranges::find(but_for.order, id) != but_for.order.end();
      if (!had) all.emplace_back(at, id, ns);
    }
  }
  std::ranges::sort(all);
  if (std::ssize(all) > limit) {
    all.resize(static_cast<std::size_t>(std::max<std::int64_t>(limit, 0)));
    survey.next = span.until;
  }
  for (const auto& [at, id, ns] : all) {
    survey.shares[ns] += 1;
    survey.order.push_back(id);
  }
  return survey;
}

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
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
