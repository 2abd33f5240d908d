// What the clock has to do with: jobs by a time, and queued jobs that no claim could find.
#include <algorithm>
#include <cstdlib>

#include "store/redis/repair.h"
#include "store/redis/timetable.h"
#include "store/redis/transaction.h"

namespace longshore::redis {
namespace {

Table table_of(execute::Timetable table) {
  switch (table) {
    case execute::Timetable::future:
      return Table::future;
    case execute::Timetable::expiry:
      return Table::expiry;
    case execute::Timetable::recorded:
      return Table::recorded;
    case execute::Timetable::holding:
      return Table::leases;
  }
  return Table::future;
}

}  // namespace

std::vector<std::pair<Instant, JobId>> RedisTransaction::head_of(Table table,
                                                                 const execute::TimeSpan& span,
                                                                 std::int64_t limit) {
  const auto replies = read({head_call(keys_, table, span.from, span.until, limit)});
  return replies.empty() ? std::vector<std::pair<Instant, JobId>>() : read_times(replies[0]);
}

// A member that contradicts its job does not belong there, and goes, so that it cannot stand in
// the way of others for ever.
std::vector<JobId> RedisTransaction::due(execute::Timetable asked, const execute::TimeSpan& span,
                                         std::int64_t limit) {
  const Table table = table_of(asked);
  if (const auto cap = caps_.find(asked); cap != caps_.end()) limit = std::min(limit, cap->second);
  if (limit <= 0) return {};
  // Those that this batch has moved elsewhere are still listed.
  const auto head = head_of(table, span, limit + std::ssize(dirty_));
  std::vector<JobId> ids;
  for (const auto& [at, id] : head) ids.push_back(id);
  load(ids);
  ids.clear();
  for (const auto& [at, id] : head) {
    const Entry* entry = find(id);
    if (trouble_) return {};
    if (entry == nullptr || !entry->stored.time(table)) {
      strays_.emplace_back(table, id);
      continue;
    }
    const auto time = whereabouts_of(entry->job(), rules()).time(table);
    const bool within = time && *time >= span.from && *time <= span.until;
    if (within && std::ssize(ids) < limit) ids.push_back(id);
  }
  return ids;
}

std::optional<Instant> RedisTransaction::earliest(execute::Timetable table, Instant from) {
  return earliest_of(table_of(table), from);
}

std::optional<Instant> RedisTransaction::earliest_of(Table table, Instant from) {
  std::unordered_set<JobId> known_better;
  std::optional<Instant> first;
  for (const Entry* entry : dirty_) {
    known_better.insert(entry->job().id);
    const auto time = whereabouts_of(entry->job(), rules()).time(table);
    if (time && *time >= from && (!first || *time < *first)) first = time;
  }
  for (const auto& entry : removed_) known_better.insert(entry->job().id);
  for (const auto& stray : strays_) known_better.insert(stray.second);
  const auto head =
      head_of(table, {.from = from, .until = Instant::never()}, std::ssize(known_better) + 1);
  for (const auto& [at, id] : head) {
    if (known_better.contains(id)) continue;
    return first ? std::min(*first, at) : at;
  }
  return first;
}

std::vector<JobId> RedisTransaction::lost(std::int64_t limit) {
  if (limit <= 0 || trouble_) return {};
  look_at_stretch();
  look_at_members();
  look_at_names();
  if (trouble_) return {};
  const auto balance = read_balance(around_.channel, keys_);
  if (!balance) {
    trouble_ = balance.error();
    return {};
  }
  trim_stale_heads(*balance);
  const bool miscounted = look_at_dead(*balance, limit);
  auto found = find_lost(around_.channel, keys_, ns_, record_->usual, *balance, limit);
  if (!found) {
    trouble_ = found.error();
    return {};
  }
  if (miscounted || found->unexplained) recount();
  for (const auto& [field, guard] : found->recount) {
    extra_.expect(guard.stored, Line("HGET").text(keys_.one("stale")).text(field));
    extra_.expect(std::to_string(guard.length), Line("LLEN").text(guard.list));
    extra_.write(
        Line("HSET").text(keys_.one("stale")).text(field).text(std::to_string(guard.stale)));
    for (const std::string& twin : guard.twins) {
      extra_.write(Line("LREM").text(guard.list).text("-1").text(twin));
      repairs_.push_back(twin + " stood twice in " + field + "; it stands there once again");
    }
  }
  return found->jobs;
}

// It goes to the back: the lists stand in the order of becoming eligible, and its place is gone.
void RedisTransaction::put_back(execute::Entry& judged) {
  Entry& entry = static_cast<Entry&>(judged);
  entry.order_step = next_step();
  entry.head.job.order = seq_ + entry.order_step;
  entry.misplaced = true;
  hint(entry.job().ns, entry.job().queue);
  mark_dirty(entry);
}

}  // namespace longshore::redis
