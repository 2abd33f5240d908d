// How everything that is not a job reads in answers.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/queues/error_pages.h"
#include "api/queues/rates.h"
#include "api/wire/json_out.h"
#include "longshore/catalog.h"

namespace longshore {

// One page; `next` is where the one behind it begins, nothing at the end.
std::string queues_json(const std::vector<QueueView>& queues,
                        const std::map<std::string, Rates>& rates, Instant now,
                        const std::optional<std::string>& next);
// Where a page of queues begins: with this name or behind it.
std::string queue_cursor(std::string_view from);
std::optional<std::string> parse_queue_cursor(std::string_view text);
std::string workers_json(const std::vector<WorkerView>& workers);
std::string error_page_json(const ErrorPage& page);

// `more`: there are older entries.
std::string audit_trail_json(const std::vector<AuditEntry>& entries, bool more);
// Where a page of the audit trail goes on: below this number.
std::optional<std::int64_t> parse_audit_cursor(std::string_view text);

// The members of a report. With `in_full`, also what each finding is about, which may name jobs of
// any namespace.
void write_audit(JsonOut& out, const Audit& audit, bool in_full);

// Never the hash.
void write_token(JsonOut& out, const TokenRecord& token);

// What the statistics of a window are made from.
struct StatsQuestion {
  std::string_view name;  // "1h", as asked
  Duration window;
  std::optional<std::string> queue;
  std::optional<std::string> type;
};
// Where the series of a window begins: it has one entry for each minute, the present included.
Instant stats_since(Duration window, Instant now);
std::string stats_json(const StatsQuestion& question, std::span<const MinuteRow> rows, Instant now);

}  // namespace longshore
