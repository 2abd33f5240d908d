#include "api/queues/views_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

namespace longshore {
namespace {

void write_depth(JsonOut& out, const std::map<State, std::int64_t>& depth) {
  out.key("depth");
  out.open('{');
  for (int i = 0; i < state_count; ++i) {
    const auto state = static_cast<State>(i);
    const auto found = depth.find(state);
    out.member(to_text(state), found == depth.end() ? std::int64_t{0} : found->second);
  }
  out.close('}');
}

void write_rates(JsonOut& out, const Rates& rates) {
  out.key("rates");
  out.open('{');
  out.member("enqueuedPerSecond", rates.enqueued);
  out.member("startedPerSecond", rates.started);
  out.member("finishedPerSecond", rates.finished);
  out.close('}');
}

void write_queue(JsonOut& out, const QueueView& queue, const Rates& rates, Instant now) {
  out.open('{');
  out.member("queue", queue.queue);
  out.member("paused", queue.paused);
  out.member("maxRunning", queue.max_running);
  write_depth(out, queue.depth);
  out.key("oldestAgeSeconds");
  if (queue.oldest_queued) {
    out.value(std::max(now - *queue.oldest_queued, Duration()));
  } else {
    out.value(nullptr);
  }
  write_rates(out, rates);
  out.close('}');
}

void write_texts(JsonOut& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name);
  out.open('[');
  for (const std::string& text : texts) out.value(text);
  out.close(']');
}

void write_worker(JsonOut& out, const WorkerView& worker) {
  out.open('{');
  out.member("workerId", worker.info.worker);
  write_texts(out, "queues", worker.info.queues);
  if (worker.info.types.empty()) {
    out.member("jobTypes", nullptr);
  } else {
    write_texts(out, "jobTypes", worker.info.types);
  }
  out.member("slots", worker.info.slots);
  out.text_or_null("host", worker.info.host);
  out.text_or_null("version", worker.info.version);
  out.member("lastSeenAt", worker.seen_at);
  out.key("jobs");
  out.open('[');
  for (const JobId& job : worker.jobs) out.value(job);
  out.close(']');
  out.close('}');
}

void write_group(JsonOut& out, const ErrorGroup& group, const GroupJobs& jobs) {
  out.open('{');
  out.member("jobType", group.type);
  out.member("fingerprint", fingerprint_text(group.fingerprint));
  out.member("count", group.count);
  out.member("first", group.first_at);
  out.member("last", group.last_at);
  out.member("sample", group.sample);
  out.member("code", group.code);
  out.member("message", group.message);
  out.member("dead", jobs.dead);
  out.member("retrying", jobs.retrying);
  out.member("recovered", jobs.recovered);
  out.member("more", jobs.more);
  out.close('}');
}

void write_entry(JsonOut& out, const AuditEntry& entry) {
  out.open('{');
  out.member("at", entry.at);
  out.member("actor", entry.actor.name);
  out.member("requestId", entry.actor.request_id);
  out.member("action", entry.action);
  out.member("target", entry.target);
  out.close('}');
}

std::string audit_cursor(const AuditEntry& last) {
  return "n" + fingerprint_text(static_cast<std::uint64_t>(last.number));
}

void write_cursor(JsonOut& out, const std::optional<std::string>& next) {
  out.key("nextCursor");
  if (next) {
    out.value(*next);
  } else {
    out.value(nullptr);
  }
}

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

// A queue or a job type over the window: as a whole, and in equal parts for a small picture.
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

Sums sums_of(const StatsQuestion& question, std::span<const MinuteRow> rows, Instant since) {
  Sums sums;
  for (const MinuteRow& row : rows) {
    if (row.minute < since || (question.queue && *question.queue != row.queue) ||
        (question.type && *question.type != row.type)) {
      continue;
    }
    const Duration age = row.minute - since;
    const auto part =
        static_cast<std::size_t>(age.count() * std::int64_t{part_count} / question.window.count());
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

std::string queues_json(const std::vector<QueueView>& queues,
                        const std::map<std::string, Rates>& rates, Instant now,
                        const std::optional<std::string>& next) {
  JsonOut out;
  out.open('{');
  out.key("queues");
  out.open('[');
  for (const QueueView& queue : queues) {
    const auto found = rates.find(queue.queue);
    write_queue(out, queue, found == rates.end() ? Rates() : found->second, now);
  }
  out.close(']');
  write_cursor(out, next ? std::optional(queue_cursor(*next)) : std::nullopt);
  out.close('}');
  return out.take();
}

std::string workers_json(const std::vector<WorkerView>& workers) {
  JsonOut out;
  out.open('{');
  out.key("workers");
  out.open('[');
  for (const WorkerView& worker : workers) write_worker(out, worker);
  out.close(']');
  out.close('}');
  return out.take();
}

std::string error_page_json(const ErrorPage& page) {
  JsonOut out;
  out.open('{');
  out.key("errors");
  out.open('[');
  for (std::size_t i = 0; i < page.groups.size(); ++i) {
    write_group(out, page.groups[i], page.jobs[i]);
  }
  out.close(']');
  write_cursor(out, page.next ? std::optional(cursor_text(*page.next)) : std::nullopt);
  out.close('}');
  return out.take();
}

std::string audit_trail_json(const std::vector<AuditEntry>& entries, bool more) {
  JsonOut out;
  out.open('{');
  out.key("audit");
  out.open('[');
  for (const AuditEntry& entry : entries) write_entry(out, entry);
  out.close(']');
  write_cursor(out, more ? std::optional(audit_cursor(entries.back())) : std::nullopt);
  out.close('}');
  return out.take();
}

std::optional<std::int64_t> parse_audit_cursor(std::string_view text) {
  if (!text.starts_with('n')) return std::nullopt;
  const std::optional<std::uint64_t> number = parse_fingerprint(text.substr(1));
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

// The name in hexadecimal, so that nobody takes it for a parameter to make up.
std::string queue_cursor(std::string_view from) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "q";
  for (const char c : from) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::optional<std::string> parse_queue_cursor(std::string_view text) {
  if (!text.starts_with('q') || text.size() % 2 == 0 || text.size() > 2000) return std::nullopt;
  std::string from;
  for (std::size_t i = 1; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto read = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (read.ec != std::errc() || read.ptr != text.data() + i + 2) return std::nullopt;
    from += static_cast<char>(value);
  }
  return queue_cursor(from) == text ? std::optional(from) : std::nullopt;
}

void write_audit(JsonOut& out, const Audit& audit, bool in_full) {
  out.member("sound", audit.sound());
  out.member("jobsChecked", audit.jobs_checked);
  out.key("findings");
  out.open('[');
  for (const Finding& finding : audit.findings) {
    out.open('{');
    out.member("rule", finding.rule);
    if (in_full) out.member("what", finding.what);
    out.close('}');
  }
  out.close(']');
  if (!audit.warnings.empty()) {
    out.key("warnings");
    out.open('[');
    for (const std::string& warning : audit.warnings) out.value(warning);
    out.close(']');
  }
}

void write_token(JsonOut& out, const TokenRecord& token) {
  out.open('{');
  out.member("id", token.id);
  out.member("name", token.name);
  out.member("role", token.role);
  out.member("namespace", token.ns);
  out.member("createdAt", token.created_at);
  out.member("expiresAt", token.expires_at);
  out.member("lastUsedAt", token.last_used_at);
  out.close('}');
}

Instant stats_since(Duration window, Instant now) {
  return minute_of(now) - window + Duration::minutes(1);
}

std::string stats_json(const StatsQuestion& question, std::span<const MinuteRow> rows,
                       Instant now) {
  const Instant since = stats_since(question.window, now);
  Sums sums = sums_of(question, rows, since);
  JsonOut out;
  out.open('{');
  out.member("window", question.name);
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
