// What is forgotten. An idempotency key outlives its job and goes on answering how it ended; it
// goes when its own time has come.
#include <algorithm>
#include <set>

#include "core/rules/enqueue.h"
#include "store/redis/parts.h"
#include "store/redis/survey.h"
#include "store/redis/timetable.h"
#include "store/redis/transaction.h"

namespace longshore::redis {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

// Those past their retention; and when there are too many, or they take too much, those whose time
// would come first.
std::vector<std::pair<Instant, JobId>> RedisTransaction::forgettable(std::int64_t limit,
                                                                     Instant until) {
  const Url& url = around_.channel.url();
  const std::int64_t aged_max = std::min(limit, prune_cap_.value_or(limit));
  if (!url.keep_jobs && !url.keep_bytes) {
    if (aged_max <= 0) return {};
    return head_of(Table::prune, {.from = {}, .until = until}, aged_max);
  }
  auto head = head_of(Table::prune, {.from = {}, .until = Instant::never()}, limit);
  std::vector<Words> calls = {{"ZCARD", keys_.one("prune")}, {"HGET", keys_.meta(), "kept"}};
  for (const auto& [at, id] : head) calls.push_back({"HGET", keys_.job(id), "size"});
  const auto told = read(calls);
  if (told.empty()) return {};
  std::int64_t jobs = told[0].integer;
  std::int64_t bytes = read_integer(told[1]);
  std::size_t count = 0;
  for (; count < head.size(); ++count) {
    const bool aged = head[count].first <= until && static_cast<std::int64_t>(count) < aged_max;
    const bool many = url.keep_jobs && jobs > *url.keep_jobs;
    const bool large = url.keep_bytes && bytes > *url.keep_bytes;
    if (!aged && !many && !large) break;
    jobs -= 1;
    bytes -= read_integer(told[count + 2]);
  }
  head.resize(count);
  return head;
}

Instant RedisTransaction::prune_by() {
  const Instant by = around_.time.prune_by();
  // The store's time may be later than any that was told.
  return by == around_.time.highest() ? now_ : std::min(by, now_);
}

std::int64_t RedisTransaction::prune(std::int64_t limit, Instant until, Instant keys_until) {
  const auto head = forgettable(limit, until);
  std::vector<JobId> ids;
  std::vector<Words> calls;
  for (const auto& [at, id] : head) {
    ids.push_back(id);
    calls.push_back({"HGET", keys_.job(id), "keys"});
  }
  load(ids);
  const auto further = read(calls);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < further.size(); ++i) {
    Entry* entry = find(ids[i]);
    if (entry == nullptr || !entry->stored.time(Table::prune)) {
      strays_.emplace_back(Table::prune, ids[i]);
      continue;
    }
    std::vector<std::string> names = lines_of(further[i].text);
    const Job& job = entry->job();
    if (!job.idempotency_key.empty()) {
      names.push_back(once_name(is_platform_type(job.type), job.idempotency_key));
    }
    keep_keys(*entry, names, keys_until);
    const auto found = entries_.find(ids[i]);
    removed_.push_back(std::move(found->second));
    entries_.erase(found);
    ++count;
  }
  return count;
}

void RedisTransaction::keep_keys(Entry& entry, const std::vector<std::string>& names,
                                 Instant until) {
  Question question;
  for (const std::string& name : names) {
    if (!bound_.contains(name)) question.once.push_back(name);
  }
  if (!question.once.empty()) ask(std::move(question));
  for (const std::string& name : names) {
    Bound& bound = bound_[name];
    if (!bound.view || bound.view->job != entry.job().id) continue;
    bound.view->last_status = status_of(entry.job());
    extra_.write(Line("SET").text(keys_.once(name)).text(bound_text(*bound.view, until)));
    extra_.write(
        Line("ZADD").text(keys_.one("gone")).text(std::to_string(until.count())).text(name));
  }
}

std::int64_t RedisTransaction::forget_keys(std::int64_t limit, Instant until) {
  const auto names = read({{"ZRANGEBYSCORE", keys_.one("gone"), "-inf",
                            std::to_string(until.count()), "LIMIT", "0", std::to_string(limit)}});
  if (names.empty()) return 0;
  std::vector<Words> calls;
  for (const Reply& name : names[0].items) calls.push_back({"GET", keys_.once(name.text)});
  const auto values = read(calls);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = names[0].items[i].text;
    extra_.write(Line("ZREM").text(keys_.one("gone")).text(name));
    if (values[i].is_nil()) continue;
    extra_.expect(values[i].text, Line("GET").text(keys_.once(name)));
    extra_.write(Line("DEL").text(keys_.once(name)));
  }
  return std::ssize(values);
}

std::optional<Instant> RedisTransaction::next_forgetting() {
  const auto first = read({{"ZRANGEBYSCORE", keys_.one("gone"), "(" + std::to_string(now_.count()),
                            "+inf", "WITHSCORES", "LIMIT", "0", "1"}});
  if (first.empty() || first[0].items.size() < 2) return std::nullopt;
  return parse_score(first[0].items[1].text);
}

// A namespace has one trail of its own; those of tokens and rules are kept together.
std::vector<std::string> RedisTransaction::trails() {
  if (!ns_.empty()) return {keys_.one("trail")};
  const auto listed = read({{"SMEMBERS", keys_.one("trails")}});
  if (listed.empty()) return {};
  std::set<std::string> names;
  for (const Reply& name : listed[0].items) names.insert(parse_word(name.text).value_or(""));
  names.merge([this] {
    const auto known = around_.copies.namespaces();  // some trails are older than the list of them
    return std::set<std::string>(known.begin(), known.end());
  }());
  std::vector<std::string> keys;
  for (const std::string& ns : names) keys.push_back(keys_.one(shared_trail(ns)));
  return keys;
}

// Lines stand in the order of their times. Nothing else shortens a trail, so one whose first line
// is the same still begins with all that was read.
std::int64_t RedisTransaction::forget_trail(Instant before, std::int64_t limit) {
  std::vector<Words> calls;
  const std::vector<std::string> keys = trails();
  for (const std::string& key : keys) {
    calls.push_back({"LRANGE", key, "0", std::to_string(limit - 1)});
  }
  const auto heads = read(calls);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::vector<Reply>& lines = heads[i].items;
    const auto kept = std::ranges::find_if(lines, [before](const Reply& line) {
      const auto entry = parse_audit("", line.text, false);
      return entry && entry->at >= before;
    });
    const auto count = kept - lines.begin();
    if (count == 0) continue;
    extra_.expect(lines[0].text, Line("LINDEX").text(keys[i]).text("0"));
    extra_.write(Line("LTRIM").text(keys[i]).text(std::to_string(count)).text("-1"));
    sum += count;
  }
  return sum;
}

// Groups that an older version wrote have no date yet.
void RedisTransaction::date_groups(std::int64_t limit) {
  const auto sizes = read({{"SCARD", keys_.one("errors")}, {"ZCARD", keys_.one("groups")}});
  if (sizes.empty() || sizes[0].integer <= sizes[1].integer) return;
  const auto names = read({{"SMEMBERS", keys_.one("errors")}});
  if (names.empty()) return;
  std::vector<Words> calls;
  for (const Reply& name : names[0].items) {
    calls.push_back({"ZSCORE", keys_.one("groups"), name.text});
    calls.push_back({"HGET", keys_.error(name.text), "last"});
  }
  const auto known = read(calls);
  for (std::size_t i = 0; i + 1 < known.size() && limit > 0; i += 2) {
    if (!known[i].is_nil()) continue;
    const std::string at = std::to_string(read_integer(known[i + 1]));
    Line line("ZADD");
    line.text(keys_.one("groups")).text("NX").text(at).text(names[0].items[i / 2].text);
    extra_.write(line);
    --limit;
  }
}

std::int64_t RedisTransaction::forget_groups(Instant before, std::int64_t limit) {
  if (ns_.empty()) return 0;
  date_groups(limit);
  const auto names =
      read({{"ZRANGEBYSCORE", keys_.one("groups"), "-inf", "(" + std::to_string(before.count()),
             "WITHSCORES", "LIMIT", "0", std::to_string(limit)}});
  if (names.empty()) return 0;
  const std::vector<Reply>& items = names[0].items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::string& name = items[i].text;
    Line score("ZSCORE");
    extra_.expect(items[i + 1].text, score.text(keys_.one("groups")).text(name));
    extra_.write(Line("ZREM").text(keys_.one("groups")).text(name));
    extra_.write(Line("SREM").text(keys_.one("errors")).text(name));
    extra_.write(Line("DEL").text(keys_.error(name)));
    extra_.write(Line("DEL").text(keys_.failed(name)));
  }
  return std::ssize(items) / 2;
}

}  // namespace longshore::redis
