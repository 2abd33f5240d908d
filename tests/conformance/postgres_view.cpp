#include "conformance/postgres_view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>

#include "core/ids/uuid.h"
#include "core/text/utf8.h"
#include "postgres/server.h"

namespace longshore::conformance {
namespace {

using Shown = std::optional<std::string>;

// How values are asked for as text, and how a column's name stands in that.
constexpr std::string_view as_text = "$::text";
constexpr std::string_view as_millis =
    "CASE WHEN isfinite($) THEN (extract(epoch FROM $) * 1000)::bigint::text END";
constexpr std::string_view as_list = "array_to_string($, ',')";

struct ViewColumn {
  std::string name;
  std::string_view asked;
  std::function<Shown(const JobRecord&)> expected;
};

Shown unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Shown millis(const std::optional<Instant>& at) {
  return at ? std::optional(std::to_string(at->count())) : std::nullopt;
}

Shown id_text(const std::optional<JobId>& id) {
  return id ? std::optional(to_text(*id)) : std::nullopt;
}

Shown real(const std::optional<double>& number) {
  if (!number) return std::nullopt;
  std::array<char, 32> text;
  return std::string(text.begin(), std::to_chars(text.begin(), text.end(), *number).ptr);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::vector<ViewColumn> given_columns() {
  return {
      {"id", as_text, [](const JobRecord& r) { return to_text(r.job.id); }},
      {"namespace", as_text, [](const JobRecord& r) { return r.job.ns; }},
      {"type", as_text, [](const JobRecord& r) { return r.job.type; }},
      {"queue", as_text, [](const JobRecord& r) { return r.job.queue; }},
      {"priority", as_text, [](const JobRecord& r) { return std::to_string(r.job.priority); }},
      {"payload_text", as_text, [](const JobRecord& r) { return r.body.payload; }},
      {"tags", as_list, [](const JobRecord& r) { return joined(r.body.tags); }},
      {"max_retries", as_text,
       [](const JobRecord& r) { return std::to_string(r.job.policy.max_retries); }},
      {"timeout", "(extract(epoch FROM $) * 1000)::bigint::text",
       [](const JobRecord& r) { return std::to_string(r.job.policy.timeout.count()); }},
      {"idempotency_key", as_text,
       [](const JobRecord& r) { return unless_empty(r.job.idempotency_key); }},
      {"job_key", as_text, [](const JobRecord& r) { return unless_empty(r.job.job_key); }},
      {"expires_at", as_millis, [](const JobRecord& r) { return millis(r.job.expires_at); }},
      {"created_at", as_millis, [](const JobRecord& r) { return millis(r.job.created_at); }},
      {"redrive_of", as_text, [](const JobRecord& r) { return id_text(r.job.redrive_of); }},
  };
}

std::vector<ViewColumn> living_columns() {
  return {
      {"state", as_text, [](const JobRecord& r) { return std::string(to_text(r.job.state)); }},
      {"status", as_text,
       [](const JobRecord& r) { return std::string(to_text(status_of(r.job))); }},
      {"result_text", as_text, [](const JobRecord& r) { return r.result; }},
      {"attempt", as_text, [](const JobRecord& r) { return std::to_string(r.job.attempt); }},
      {"failures", as_text, [](const JobRecord& r) { return std::to_string(r.job.failures); }},
      {"retry_count", as_text, [](const JobRecord& r) { return std::to_string(r.job.failures); }},
      {"crashes", as_text, [](const JobRecord& r) { return std::to_string(r.job.crashes); }},
      {"lease_owner", as_text,
       [](const JobRecord& r) {
         return r.job.lease_expires_at ? unless_empty(r.job.worker) : std::nullopt;
       }},
      {"lease_expiry", as_millis,
       [](const JobRecord& r) { return millis(r.job.lease_expires_at); }},
      {"run_at", as_millis, [](const JobRecord& r) { return millis(r.job.run_at); }},
      {"updated_at", as_millis, [](const JobRecord& r) { return millis(r.job.updated_at); }},
      {"first_started_at", as_millis,
       [](const JobRecord& r) { return millis(r.job.first_started_at); }},
      {"started_at", as_millis, [](const JobRecord& r) { return millis(r.job.started_at); }},
      {"completed_at", as_millis, [](const JobRecord& r) { return millis(r.job.completed_at); }},
      {"error_code", as_text,
       [](const JobRecord& r) { return r.error ? Shown(r.error->code) : std::nullopt; }},
      {"error_message", as_text,
       [](const JobRecord& r) { return r.error ? Shown(r.error->message) : std::nullopt; }},
      {"progress", as_text, [](const JobRecord& r) { return real(r.job.progress); }},
      {"cancel_requested", as_text,
       [](const JobRecord& r) { return r.job.cancel_requested ? "true" : "false"; }},
      {"successor_id", as_text, [](const JobRecord& r) { return id_text(r.job.successor_id); }},
  };
}

const std::vector<ViewColumn>& view_columns() {
  static const std::vector<ViewColumn> all = [] {
    auto columns = given_columns();
    for (ViewColumn& column : living_columns()) columns.push_back(std::move(column));
    return columns;
  }();
  return all;
}

constexpr std::string_view nothing = "(null)";
constexpr char between_columns = '\x1f';
constexpr char between_rows = '\x1e';

// One row of the answer: all columns of all jobs in one text.
std::string question(const std::string& schema) {
  std::string values;
  for (const ViewColumn& column : view_columns()) {
    std::string asked(column.asked);
    for (std::size_t at = 0; (at = asked.find('$', at)) != std::string::npos;) {
      asked.replace(at, 1, column.name);
    }
    values += (values.empty() ? "coalesce(" : ", coalesce(") + asked + ", '" +
              std::string(nothing) + "')";
  }
  return "SELECT coalesce(string_agg(concat_ws(E'\\x1f', " + values +
         "), E'\\x1e' ORDER BY id), '') FROM " + schema + ".jobs";
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Text that PostgreSQL cannot show is escaped; no test here depends on how.
bool is_showable(const Shown& text) {
  return !text || (utf8_length(*text) && text->find('\0') == std::string::npos);
}

void compare_row(const JobRecord& record, const std::vector<std::string>& shown,
                 std::vector<std::string>& differences) {
  for (std::size_t i = 0; i < view_columns().size(); ++i) {
    const ViewColumn& column = view_columns()[i];
    const Shown expected = column.expected(record);
    const std::string text = expected.value_or(std::string(nothing));
    if (!is_showable(expected) || (i < shown.size() && shown[i] == text)) continue;
    differences.push_back(to_text(record.job.id) + " shows " + column.name + " '" +
                          (i < shown.size() ? shown[i] : "") + "', expected '" + text + "'");
  }
}

}  // namespace

std::vector<std::string> misread_view(const std::string& schema,
                                      const std::vector<JobRecord>& jobs) {
  const std::string answer = postgres_test::run_sql(question(schema));
  std::vector<std::string> rows = split(answer, between_rows);
  if (answer.empty()) rows.clear();
  if (rows.size() != jobs.size()) {
    return {"the view has " + std::to_string(rows.size()) + " rows for " +
            std::to_string(jobs.size()) + " jobs"};
  }
  std::vector<const JobRecord*> sorted;
  for (const JobRecord& job : jobs) sorted.push_back(&job);
  std::ranges::sort(sorted, {}, [](const JobRecord* record) { return to_text(record->job.id); });
  std::vector<std::string> differences;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    compare_row(*sorted[i], split(rows[i], between_columns), differences);
  }
  return differences;
}

}  // namespace longshore::conformance
