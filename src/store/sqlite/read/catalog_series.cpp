// What grows with time: minutes that were counted, and groups of errors. Both are read a slice at a
// time, each of its own moment.
#include <algorithm>
#include <utility>

#include "store/sqlite/read/catalog.h"

namespace longshore::sqlite {
namespace {

constexpr Duration minutes_at_once = Duration::hours(1);
constexpr Duration minutes_at_least = Duration::seconds(60);
constexpr int groups_at_once = 5000;

MinuteRow read_minute(Statement& rows, const std::string& ns) {
  MinuteRow row;
  row.ns = ns;
  row.minute = rows.instant();
  row.node = rows.id<NodeId>();
  row.queue = rows.text();
  row.type = rows.text();
  for (std::int64_t* count : {&row.enqueued, &row.started, &row.succeeded, &row.failed, &row.dead,
                              &row.canceled, &row.wait_millis, &row.run_millis}) {
    *count = rows.integer();
  }
  return row;
}

// The first minute from `from` on that was counted, in any namespace.
std::optional<Instant> first_minute(Reader& reader, Instant from) {
  Statement row(*reader.database, "SELECT min(minute) FROM minute WHERE minute >= ?");
  row.bind(from);
  return row.step() ? row.optional_instant() : std::nullopt;
}

struct MinuteSlice {
  std::vector<MinuteRow> rows;
  std::optional<Instant> next;  // from where to go on; none at the end
};

// As much as half of the time of a read allows, in whole minutes.
Result<MinuteSlice> minute_slice(Reader& reader, const std::string& ns, Instant from,
                                 Duration length) {
  MinuteSlice slice{.rows = {}, .next = first_minute(reader, from)};
  if (!slice.next) return slice;
  const Instant first = *slice.next;
  Statement rows(*reader.database,
                 "SELECT minute, node, queue, type, enqueued, started, succeeded, failed, dead, "
                 "canceled, wait_millis, run_millis FROM minute WHERE ns = ? AND minute >= ? AND "
                 "minute < ? ORDER BY minute, node, queue, type");
  rows.bind(ns);
  rows.bind(first);
  rows.bind(first + length);
  slice.next = first + length;
  while (rows.step()) {
    MinuteRow row = read_minute(rows, ns);
    const bool begins = !slice.rows.empty() && slice.rows.back().minute != row.minute;
    if (begins && reader.limit.half_over()) {
      slice.next = row.minute;
      break;
    }
    slice.rows.push_back(std::move(row));
  }
  return slice;
}

ErrorGroup read_group(Statement& rows, const std::string& ns) {
  ErrorGroup group;
  group.ns = ns;
  group.type = rows.text();
  group.fingerprint = static_cast<std::uint64_t>(rows.integer());
  group.count = rows.integer();
  group.first_at = rows.instant();
  group.last_at = rows.instant();
  group.sample = rows.id<JobId>();
  group.code = rows.text();
  group.message = rows.text();
  return group;
}

// Those behind the last one, in the order of the table; whether there are more.
Result<bool> group_slice(Reader& reader, const std::string& ns, std::vector<ErrorGroup>& groups) {
  const bool is_first = groups.empty();
  Statement rows(*reader.database,
                 std::string("SELECT type, fingerprint, count, first_at, last_at, sample, code, "
                             "message FROM error_group WHERE ns = ?") +
                     (is_first ? "" : " AND (type, fingerprint) > (?, ?)") +
                     " ORDER BY type, fingerprint LIMIT " + std::to_string(groups_at_once));
  const std::string type = is_first ? "" : groups.back().type;
  rows.bind(ns);
  if (!is_first) rows.bind(type);
  if (!is_first) rows.bind(static_cast<std::int64_t>(groups.back().fingerprint));
  for (int i = 0; i < groups_at_once; ++i) {
    if (!rows.step()) return false;
    groups.push_back(read_group(rows, ns));
    if (reader.limit.half_over()) return true;
  }
  return true;
}

}  // namespace

Result<std::vector<MinuteRow>> minutes(Readers& readers, const std::string& ns, Instant since) {
  std::vector<MinuteRow> minutes;
  std::optional<Instant> from = since;
  Duration length = minutes_at_once;
  while (from) {
    auto slice =
        readers.read([&](Reader& reader) { return minute_slice(reader, ns, *from, length); });
    if (!slice && slice.error().code == Errc::overloaded && length > minutes_at_least) {
      length = std::max(Duration::millis(length.count() / 4), minutes_at_least);
      continue;
    }
    if (!slice) return slice.error();
    std::ranges::move(slice->rows, std::back_inserter(minutes));
    from = slice->next;
  }
  return minutes;
}

Result<std::vector<ErrorGroup>> error_groups(Readers& readers, const std::string& ns) {
  std::vector<ErrorGroup> groups;
  bool more = true;
  while (more) {
    const auto slice =
        readers.read([&](Reader& reader) { return group_slice(reader, ns, groups); });
    if (!slice) return slice.error();
    more = *slice;
  }
  // SQLite has no unsigned numbers to sort by.
  std::ranges::sort(groups, {},
                    [](const ErrorGroup& g) { return std::pair(g.type, g.fingerprint); });
  return groups;
}

}  // namespace longshore::sqlite
