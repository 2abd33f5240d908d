// What the passing of time does: bounded, oldest first, across all namespaces. Any number of nodes
// may sweep at once: what one of them holds, the others pass over.
#include <algorithm>

#include "store/postgres/verbs.h"

namespace longshore::postgres {
namespace {

std::string due_text(const std::string& table, const std::string& time, const std::string& where) {
  return "WITH next AS MATERIALIZED (SELECT " + time + " AS at, job FROM " + table + " WHERE " +
         where + time + " <= $1 ORDER BY " + time +
         ", job LIMIT $2 FOR UPDATE SKIP LOCKED) SELECT " + head_columns_of("job") +
         " FROM next JOIN @live AS job ON job.id = next.job ORDER BY next.at, next.job "
         "FOR UPDATE OF job SKIP LOCKED";
}
std::string first_text(const std::string& table, const std::string& time,
                       const std::string& where) {
  return "SELECT " + time + " FROM " + table + where + " ORDER BY " + time + " LIMIT 1";
}

// A table of jobs by a time, and how to ask it.
struct Timetable {
  Timetable(const std::string& table, const std::string& time, const std::string& where)
      : due_sql(due_text(table, time, where.empty() ? "" : where + " AND ")),
        first_sql(first_text(table, time, where.empty() ? "" : " WHERE " + where)) {}
  const std::string due_sql;
  const std::string first_sql;
};
const Timetable future("@timer", "at", "kind = 0");
const Timetable expiry("@timer", "at", "kind = 1");
const Timetable recorded("@timer", "at", "kind = 2");
const Timetable holding("@held", "wakes_at", "");

// At most `limit` jobs whose time is `until` or earlier, oldest first.
std::vector<JobId> those_due(UnitOfWork& work, const Timetable& table, Instant until,
                             std::int64_t limit) {
  work.flush();
  Parameters parameters;
  parameters.add(until).add(limit);
  RowSet rows = work.connection().ask({table.due_sql.c_str()}, std::move(parameters));
  std::vector<JobId> ids;
  while (rows.next()) {
    ids.push_back(work.keep(read_head(rows, work.rules().policy)).job().id);
  }
  return ids;
}

std::optional<Instant> earliest(UnitOfWork& work, const Timetable& table) {
  work.flush();
  RowSet row = work.connection().ask({table.first_sql.c_str()});
  return row.next() ? std::optional(row.instant()) : std::nullopt;
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
  const auto ids = those_due(work, holding, work.now(), reap.limit);
  const std::int64_t count = judge_all(work, ids, LeaseEndEvent{});
  return Swept{.count = count, .more = count >= reap.limit, .next = earliest(work, holding)};
}

Verdict run(UnitOfWork& work, const Sweep& sweep) {
  const Duration accept_after = work.rules().accept_after;
  const auto expired = those_due(work, expiry, work.now(), sweep.limit);
  std::int64_t count = judge_all(work, expired, ExpiryEvent{});
  const auto overdue = those_due(work, recorded, work.now() - accept_after, sweep.limit - count);
  count += judge_all(work, overdue, AcceptEvent{});
  Swept swept{.repaired = repair_ready(work, sweep.limit - count)};
  swept.count = count + std::ssize(swept.repaired);
  swept.more = swept.count >= sweep.limit;
  swept.next = earliest(work, expiry);
  if (const auto oldest = earliest(work, recorded)) {
    const Instant accept_next = *oldest + accept_after;
    swept.next = swept.next ? std::min(*swept.next, accept_next) : accept_next;
  }
  return swept;
}

}  // namespace longshore::postgres
