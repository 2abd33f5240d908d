// What the passing of time does: bounded, oldest first, across all namespaces.
#include <algorithm>

#include "store/sqlite/verbs.h"

namespace longshore::sqlite {
namespace {

// A partial index of live jobs by a time. SQLite finds it by the very words of its definition.
struct Timetable {
  const char* time;
  const char* where;
};
constexpr Timetable future = {"min(run_at, ifnull(expires_at, run_at))", "state IN (1, 5)"};
constexpr Timetable expiry = {"expires_at", "expires_at IS NOT NULL AND state IN (0, 1, 2, 5)"};
constexpr Timetable recorded = {"created_at", "state = 0"};

// At most `limit` jobs whose time is `until` or earlier, oldest first.
std::vector<JobId> those_due(UnitOfWork& work, const Timetable& table, Instant until,
                             std::int64_t limit) {
  work.flush();
  const std::string time = table.time;
  Statement rows(work.database(), "SELECT id FROM live WHERE " + std::string(table.where) +
                                      " AND " + time + " <= ? ORDER BY " + time + ", id LIMIT ?");
  rows.bind(until);
  rows.bind(limit);
  std::vector<JobId> ids;
  while (rows.step()) ids.push_back(rows.id<JobId>());
  return ids;
}

std::optional<Instant> earliest(UnitOfWork& work, const Timetable& table) {
  work.flush();
  const std::string time = table.time;
  Statement row(work.database(), "SELECT " + time + " FROM live WHERE " + table.where +
                                     " ORDER BY " + time + " LIMIT 1");
  return row.step() ? std::optional(row.instant()) : std::nullopt;
}

// How many of them changed.
template <class Event>
std::int64_t judge_all(UnitOfWork& work, const std::vector<JobId>& ids, const Event& event) {
  std::int64_t changed = 0;
  for (const JobId& id : ids) {
    if (judge(work, work.find(id), event).changed) ++changed;
  }
  return changed;
}

}  // namespace

Verdict run(UnitOfWork& work, const Due& due) {
  const auto ids = those_due(work, future, work.now(), due.limit);
  const std::int64_t count = judge_all(work, ids, DueEvent{});
  return Swept{.count = count, .more = count >= due.limit, .next = earliest(work, future)};
}

Verdict run(UnitOfWork& work, const Reap& reap) {
  const auto ids = work.leases().ended(work.now(), reap.limit);
  const std::int64_t count = judge_all(work, ids, LeaseEndEvent{});
  return Swept{.count = count, .more = count >= reap.limit, .next = work.leases().earliest()};
}

// The ready order is an index that SQLite keeps, so no queued job can be missing from it.
Verdict run(UnitOfWork& work, const Sweep& sweep) {
  const Duration accept_after = work.rules().accept_after;
  const auto expired = those_due(work, expiry, work.now(), sweep.limit);
  std::int64_t count = judge_all(work, expired, ExpiryEvent{});
  const auto overdue = those_due(work, recorded, work.now() - accept_after, sweep.limit - count);
  count += judge_all(work, overdue, AcceptEvent{});
  Swept swept{.count = count, .more = count >= sweep.limit, .next = earliest(work, expiry)};
  if (const auto oldest = earliest(work, recorded)) {
    const Instant accept_next = *oldest + accept_after;
    swept.next = swept.next ? std::min(*swept.next, accept_next) : accept_next;
  }
  return swept;
}

}  // namespace longshore::sqlite
