// Pages of jobs, newest first. Live and finished jobs are one view; each is read backwards by its
// ids, and what columns show is judged in SQL. States that are asked for are read in parts: the
// live jobs, and finished jobs of one state, for which there is an index.
#include <algorithm>
#include <utility>

#include "core/record/history_text.h"
#include "core/record/list_page.h"
#include "store/postgres/read/catalog.h"
#include "store/postgres/write/rows.h"

namespace longshore::postgres {
namespace {

// What one statement reads at most when some of its rows may not be meant.
constexpr std::int64_t rows_at_once_max = 1000;

// What was not asked is NULL, and true of every job.
std::string list_sql(const std::string& table, const std::string& state_clause) {
  return "SELECT " + head_values("job") +
         ", (SELECT tags FROM @body AS body WHERE body.id = job.id) FROM " + table +
         " AS job WHERE job.ns = $1 AND " + state_clause +
         " AND ($3::bytea IS NULL OR job.type = $3) AND ($4::bytea IS NULL OR job.queue = $4) "
         "AND ($5::bytea IS NULL OR coalesce(job.job_key, '') = $5) "
         "AND ($6::bytea IS NULL OR coalesce(job.idempotency_key, '') = $6) "
         "AND ($7::bytea IS NULL OR position($7 IN job.error_code) > 0 "
         "OR position($7 IN job.error_message) > 0) "
         "AND ($8::bigint IS NULL OR job.created_at >= $8) "
         "AND ($9::bigint IS NULL OR job.created_at < $9) AND (NOT $10 OR job.successor IS NULL) "
         "AND ($11::uuid IS NULL OR job.id < $11) AND ($12::bytea IS NULL OR "
         "position($12 IN (SELECT tags FROM @body AS body WHERE body.id = job.id)) > 0) "
         "ORDER BY job.id DESC LIMIT $13";
}

const std::string list_every_sql = list_sql("@every_job", "$2::bigint IS NULL");
// $2 has a bit for each state.
const std::string list_live_sql = list_sql("@live", "(1 << job.state) & $2::bigint <> 0");
// The state stands in the text, not in a parameter: plans are generic, and only then take the
// index of these states.
const std::string list_success_sql = list_sql("@done", "$2::bigint IS NULL AND job.state = 6");
const std::string list_dead_sql = list_sql("@done", "$2::bigint IS NULL AND job.state = 7");
const std::string list_canceled_sql = list_sql("@done", "$2::bigint IS NULL AND job.state = 8");

// Jobs that one statement reads.
struct Part {
  const std::string* sql = &list_every_sql;
  std::optional<std::int64_t> live = {};  // which live states
};

std::vector<Part> parts_of(const ListQuery& query) {
  if (query.states.empty()) return {{}};
  std::vector<Part> parts;
  const auto add_ended = [&](State state, const std::string& sql) {
    const auto asked = std::ranges::find(query.states, state, &StateMatch::state);
    if (asked != query.states.end()) parts.push_back({&sql});
  };
  add_ended(State::success, list_success_sql);
  add_ended(State::dead, list_dead_sql);
  add_ended(State::canceled, list_canceled_sql);
  std::int64_t live = 0;
  for (const StateMatch& match : query.states) {
    if (!is_terminal(match.state)) live |= std::int64_t{1} << static_cast<int>(match.state);
  }
  if (live != 0) parts.push_back({&list_live_sql, live});
  return parts;
}

Parameters parameters_of(const ListQuery& query, const Part& part, std::int64_t limit) {
  std::optional<std::string> tag;
  if (query.tag) tag = " " + encode_field(*query.tag) + " ";
  Parameters parameters;
  parameters.add(query.ns).add(Type::integer, part.live).add(Type::bytes, query.type);
  parameters.add(Type::bytes, query.queue).add(Type::bytes, query.job_key);
  parameters.add(Type::bytes, query.idempotency_key).add(Type::bytes, query.error);
  parameters.add(query.created_after).add(query.created_before).add(query.hide_redriven);
  parameters.add(query.before).add(Type::bytes, tag).add(limit);
  return parameters;
}

JobSummary read_summary(RowSet& rows, const Policy& usual) {
  Head head = read_head(rows, usual);
  if (head.error) head.error->details.clear();
  return {
      .job = std::move(head.job), .tags = parse_list(rows.bytes()), .error = std::move(head.error)};
}

// Adds what one statement finds, and answers the last id it saw; none if there are no more rows.
// One job more than the limit shows that there is a next page.
std::optional<JobId> read_rows(Reader& reader, const ListQuery& query, const Part& part,
                               std::int64_t rows_at_once, ListPage& page) {
  RowSet rows =
      reader.connection.ask({part.sql->c_str()}, parameters_of(query, part, rows_at_once));
  std::optional<JobId> last;
  std::int64_t count = 0;
  for (; rows.next(); ++count) {
    JobSummary summary = read_summary(rows, reader.usual);
    last = summary.job.id;
    if (!matches(query.states, summary.job)) continue;
    if (std::ssize(page.jobs) == query.limit) {
      page.next = page.jobs.back().job.id;
      return std::nullopt;
    }
    page.jobs.push_back(std::move(summary));
  }
  return count < rows_at_once ? std::nullopt : last;
}

// Whether a job was withdrawn, or has started, stands in no column: such rows are read until
// enough of them fit.
ListPage read_part(Reader& reader, ListQuery query, const Part& part) {
  ListPage page;
  std::int64_t rows_at_once = std::int64_t{query.limit} + 1;
  do {
    query.before = read_rows(reader, query, part, rows_at_once, page);
    rows_at_once = std::max(rows_at_once, rows_at_once_max);
  } while (query.before);
  return page;
}

}  // namespace

Result<ListPage> list(Reader& reader, const ListQuery& query) {
  if (query.limit < 1) return Error{.code = Errc::invalid, .message = "limit must be at least 1"};
  std::vector<ListPage> pages;
  for (const Part& part : parts_of(query)) pages.push_back(read_part(reader, query, part));
  return merged_page(pages, query.limit);
}

}  // namespace longshore::postgres
