// Jobs by the times at which the clock does something to them. The ready order is an index that
// SQLite keeps, so no queued job can be missing from it.
#include "store/sqlite/write/transaction.h"

namespace longshore::sqlite {
namespace {

// A partial index of live jobs by a time. SQLite finds it by the very words of its definition.
struct Index {
  const char* time;
  const char* where;
};
constexpr Index future = {"CASE WHEN expires_at < run_at THEN expires_at ELSE run_at END",
                          "state IN (1, 5)"};
constexpr Index expiry = {"expires_at", "expires_at IS NOT NULL AND state IN (0, 1, 2, 5)"};
constexpr Index recorded = {"created_at", "state = 0"};

const Index& index_of(execute::Timetable table) {
  if (table == execute::Timetable::future) return future;
  return table == execute::Timetable::expiry ? expiry : recorded;
}

}  // namespace

std::vector<JobId> SqliteTransaction::due(execute::Timetable table, const execute::TimeSpan& span,
                                          std::int64_t limit) {
  if (table == execute::Timetable::holding) return leases_.ended(span.from, span.until, limit);
  flush();
  const Index& index = index_of(table);
  const std::string time = index.time;
  Statement rows(database_, "SELECT id FROM live WHERE " + std::string(index.where) + " AND " +
                                time + " BETWEEN ? AND ? ORDER BY " + time + ", id LIMIT ?");
  rows.bind(span.from);
  rows.bind(span.until);
  rows.bind(limit);
  std::vector<JobId> ids;
  while (rows.step()) ids.push_back(rows.id<JobId>());
  return ids;
}

std::optional<Instant> SqliteTransaction::earliest(execute::Timetable table, Instant from) {
  if (table == execute::Timetable::holding) return leases_.earliest(from);
  flush();
  const Index& index = index_of(table);
  const std::string time = index.time;
  Statement row(database_, "SELECT " + time + " FROM live WHERE " + index.where + " AND " + time +
                               " >= ? ORDER BY " + time + " LIMIT 1");
  row.bind(from);
  return row.step() ? std::optional(row.instant()) : std::nullopt;
}

}  // namespace longshore::sqlite
