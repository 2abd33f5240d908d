#include "api/queues/stats_json.h"

#include <algorithm>
#include <array>
#include <map>

#include "api/queues/rates.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

void add(MinuteRow& sum, const MinuteRow& row) {
  sum.enqueued += row.enqueued;
  sum.started += row.started;
  sum.succeeded += row.succeeded;
  sum.failed += row.failed;
  sum.dead += row.dead;
  sum.canceled += row.canceled;
  sum.wait_millis += row.wait_millis;
  sum.run_millis += row.run_millis;
}

void write_counts(JsonOut& out, const MinuteRow& row) {
  out.member("enqueued", row.enqueued);
  out.member("started", row.started);
  out.member("succeeded", row.succeeded);
  out.member("failed", row.failed);
  out.member("dead", row.dead);
  out.member("canceled", row.canceled);
  out.member("waitMillis", row.wait_millis);
  out.member("runMillis", row.run_millis);
}

constexpr std::size_t part_count = 24;

// A queue or a job type over the window: in total, and in equal parts for a sparkline.
struct Named {
  MinuteRow total;
  std::array<MinuteRow, part_count> parts;
};

void add(Named& named, const MinuteRow& row, std::size_t part) {
  add(named.total, row);
  add(named.parts[std::min(part, part_count - 1)], row);
}

struct Sums {
  std::map<Instant, MinuteRow> minutes;
  std::map<std::string, Named> queues, types;
  MinuteRow total;
};

void write_parts(JsonOut& out, std::string_view name, const Named& named,
                 std::int64_t (*figure)(const MinuteRow&)) {
  out.key(name);
  out.open('[');
  for (const MinuteRow& part : named.parts) out.value(figure(part));
  out.close(']');
}

void write_series(JsonOut& out, const Named& named) {
  out.key("series");
  out.open('{');
  write_parts(out, "enqueued", named, [](const MinuteRow& row) { return row.enqueued; });
  write_parts(out, "finished", named,
              [](const MinuteRow& row) { return row.succeeded + row.dead + row.canceled; });
  write_parts(out, "failed", named, [](const MinuteRow& row) { return row.failed; });
  out.close('}');
}

Sums sums_of(const StatsQuery& query, std::span<const MinuteRow> rows, Instant since) {
  Sums sums;
  for (const MinuteRow& row : rows) {
    if (row.minute < since || (query.queue && *query.queue != row.queue) ||
        (query.type && *query.type != row.type)) {
      continue;
    }
    const Duration age = row.minute - since;
    const auto part =
        static_cast<std::size_t>(age.count() * std::int64_t{part_count} / query.window.count());
    add(sums.minutes[row.minute], row);
    add(sums.queues[row.queue], row, part);
    add(sums.types[row.type], row, part);
    add(sums.total, row);
  }
  return sums;
}

void write_named(JsonOut& out, std::string_view list, std::string_view name,
                 const std::map<std::string, Named>& rows) {
  out.key(list);
  out.open('[');
  for (const auto& [text, row] : rows) {
    out.open('{');
    out.member(name, text);
    write_counts(out, row.total);
    write_series(out, row);
    out.close('}');
  }
  out.close(']');
}

}  // namespace

Instant stats_since(Duration window, Instant now) {
  return minute_of(now) - window + Duration::minutes(1);
}

std::string stats_json(const StatsQuery& query, std::span<const MinuteRow> rows, Instant now) {
  const Instant since = stats_since(query.window, now);
  Sums sums = sums_of(query, rows, since);
  JsonOut out;
  out.open('{');
  out.member("window", query.name);
  out.key("minutes");
  out.open('[');
  for (Instant minute = since; minute <= now; minute = minute + Duration::minutes(1)) {
    out.open('{');
    out.member("minute", minute);
    write_counts(out, sums.minutes[minute]);
    out.close('}');
  }
  out.close(']');
  out.key("totals");
  out.open('{');
  write_counts(out, sums.total);
  out.close('}');
  write_named(out, "queues", "queue", sums.queues);
  write_named(out, "jobTypes", "jobType", sums.types);
  out.close('}');
  return out.take();
}

}  // namespace longshore
