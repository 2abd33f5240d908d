// Jobs by the times at which the clock does something to them. Any number of nodes may sweep at
// once: what one of them holds, the others pass over.
#include <algorithm>
#include <utility>

#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

// Found by a list of ids and not by a join, so that no plan can go through all live jobs.
std::string due_text(const std::string& table, const std::string& time, const std::string& where) {
  return "WITH next AS MATERIALIZED (SELECT job FROM " + table + " WHERE " + where + time +
         " BETWEEN $3 AND $1 ORDER BY " + time + ", job LIMIT $2 FOR UPDATE SKIP LOCKED) SELECT " +
         head_values_but_history() +
         ", ctid FROM @live WHERE id = ANY(ARRAY(SELECT job FROM next)) FOR UPDATE SKIP LOCKED";
}
std::string first_text(const std::string& table, const std::string& time,
                       const std::string& where) {
  return "SELECT " + time + " FROM " + table + " WHERE " + where + time + " >= $1 ORDER BY " +
         time + " LIMIT 1";
}

// A table of jobs by a time, and how to ask it.
struct Index {
  Index(const std::string& table, const std::string& time, const std::string& where)
      : due_sql(due_text(table, time, where.empty() ? "" : where + " AND ")),
        first_sql(first_text(table, time, where.empty() ? "" : where + " AND ")) {}
  const std::string due_sql;
  const std::string first_sql;
};
const Index future("@timer", "at", "kind = 0");
const Index expiry("@timer", "at", "kind = 1");
const Index recorded("@timer", "at", "kind = 2");
const Index holding("@held", "wakes_at", "");

const Index& index_of(execute::Timetable table) {
  switch (table) {
    case execute::Timetable::future:
      return future;
    case execute::Timetable::expiry:
      return expiry;
    case execute::Timetable::recorded:
      return recorded;
    case execute::Timetable::holding:
      return holding;
  }
  return future;
}

// When the clock does to the job what this table is for.
Instant time_of(execute::Timetable table, const Placement& standing) {
  if (table == execute::Timetable::holding) {
    return standing.held ? standing.held->wakes_at : Instant::never();
  }
  const auto kind = table == execute::Timetable::future   ? TimerKind::due
                    : table == execute::Timetable::expiry ? TimerKind::expiry
                                                          : TimerKind::accept;
  return standing.timers[static_cast<std::size_t>(kind)].value_or(Instant::never());
}

}  // namespace

std::vector<JobId> PostgresTransaction::due(execute::Timetable table, const execute::TimeSpan& span,
                                            std::int64_t limit) {
  flush();
  Parameters parameters;
  parameters.add(span.until).add(limit).add(span.from);
  std::vector<JobId> ids =
      keep_all(connection_.ask({index_of(table).due_sql.c_str()}, std::move(parameters)));
  std::ranges::sort(ids, {}, [&](const JobId& id) {
    return std::pair(time_of(table, entries_.at(id).stored), id);
  });
  return ids;
}

std::optional<Instant> PostgresTransaction::earliest(execute::Timetable table, Instant from) {
  flush();
  Parameters parameters;
  parameters.add(from);
  RowSet row = connection_.ask({index_of(table).first_sql.c_str()}, std::move(parameters));
  return row.next() ? std::optional(row.instant()) : std::nullopt;
}

}  // namespace longshore::postgres
