// Pages of jobs, newest first. Live and finished jobs are one view; each is read backwards by its
// ids, and whatever is asked is judged in SQL.
#include <utility>

#include "core/history_text.h"
#include "store/postgres/catalog.h"
#include "store/postgres/rows.h"

namespace longshore::postgres {
namespace {

// One statement for every list: what was not asked is NULL, and true of every job.
const std::string list_text_sql =
    "SELECT " + head_values("job") +
    ", (SELECT tags FROM @body AS body WHERE body.id = job.id) FROM @every_job AS job "
    "WHERE job.ns = $1 AND ($2::bigint IS NULL OR job.state = $2) "
    "AND ($3::bytea IS NULL OR job.type = $3) AND ($4::bytea IS NULL OR job.queue = $4) "
    "AND ($5::bytea IS NULL OR coalesce(job.job_key, '') = $5) "
    "AND ($6::bytea IS NULL OR coalesce(job.idempotency_key, '') = $6) "
    "AND ($7::bytea IS NULL OR position($7 IN job.error_code) > 0 "
    "OR position($7 IN job.error_message) > 0) "
    "AND ($8::bigint IS NULL OR job.created_at >= $8) "
    "AND ($9::bigint IS NULL OR job.created_at < $9) AND (NOT $10 OR job.successor IS NULL) "
    "AND ($11::uuid IS NULL OR job.id < $11) AND ($12::bytea IS NULL OR "
    "position($12 IN (SELECT tags FROM @body AS body WHERE body.id = job.id)) > 0) "
    "ORDER BY job.id DESC LIMIT $13";

Parameters parameters_of(const ListQuery& query) {
  std::optional<std::int64_t> state;
  if (query.state) state = static_cast<std::int64_t>(*query.state);
  std::optional<std::string> tag;
  if (query.tag) tag = " " + encode_field(*query.tag) + " ";
  Parameters parameters;
  parameters.add(query.ns).add(Type::integer, state).add(Type::bytes, query.type);
  parameters.add(Type::bytes, query.queue).add(Type::bytes, query.job_key);
  parameters.add(Type::bytes, query.idempotency_key).add(Type::bytes, query.error);
  parameters.add(query.created_after).add(query.created_before).add(query.hide_redriven);
  parameters.add(query.before).add(Type::bytes, tag);
  // One more than asked, to know whether there is a next page.
  parameters.add(std::int64_t{query.limit} + 1);
  return parameters;
}

}  // namespace

Result<ListPage> list(Reader& reader, const ListQuery& query) {
  if (query.limit < 1) return Error{.code = Errc::invalid, .message = "limit must be at least 1"};
  RowSet rows = reader.connection.ask({list_text_sql.c_str()}, parameters_of(query));
  ListPage page;
  while (rows.next()) {
    if (std::ssize(page.jobs) == query.limit) {
      page.next = page.jobs.back().job.id;
      break;
    }
    Head head = read_head(rows, reader.usual);
    page.jobs.push_back({.job = std::move(head.job), .tags = parse_list(rows.bytes())});
  }
  return page;
}

}  // namespace longshore::postgres
