// Single jobs, and all of them.
#include <unordered_map>
#include <utility>

#include "core/record/history_text.h"
#include "store/postgres/read/catalog.h"
#include "store/postgres/write/rows.h"

namespace longshore::postgres {
namespace {

std::string record_text(const std::string& rest) {
  return "SELECT " + head_values("job") + ", job.result, " + body_values() +
         ", (SELECT value FROM @checkpoint WHERE checkpoint.id = job.id) "
         "FROM @every_job AS job JOIN @body AS body ON body.id = job.id " +
         rest;
}
const std::string one_record_text = record_text("WHERE job.id = $1");
const std::string page_text = record_text("WHERE job.id > $1 ORDER BY job.id LIMIT $2");
const std::string one_head_text =
    "SELECT " + head_values("job") + " FROM @every_job AS job WHERE id = $1";

constexpr Sql failures = {
    "SELECT id, attempt, at, code, message, details FROM @failure WHERE id = ANY($1) "
    "ORDER BY id, seq"};
constexpr Sql live_of_key = {"SELECT job FROM @live_key WHERE ns = $1 AND type = $2 AND key = $3"};
constexpr Sql latest_of_key = {
    "SELECT id FROM @done WHERE ns = $1 AND type = $2 AND job_key = $3 "
    "ORDER BY number DESC LIMIT 1"};
constexpr Sql idempotency_key = {
    "SELECT job, body_hash, status, (SELECT state FROM @every_job AS job WHERE job.id = known.job) "
    "FROM @idempotency AS known WHERE ns = $1 AND NOT platform AND key = $2"};
constexpr Sql job_versions = {"SELECT id, ns, version FROM @every_job WHERE id = ANY($1)"};
constexpr Sql job_logs = {"SELECT attempt, text FROM @log WHERE id = $1 ORDER BY attempt"};
constexpr Sql count_ahead = {
    "SELECT count(*) FROM (SELECT FROM @ready WHERE ns = $1 AND queue = $2 AND "
    "(priority, ord, job) < ($3::smallint, $4, $5) LIMIT $6) AS place"};
constexpr std::int64_t page_length = 500;

Error no_such_job(const JobId& id) {
  return {.code = Errc::not_found, .message = "there is no job " + to_text(id)};
}

Parameters of_id(const JobId& id) {
  Parameters parameters;
  parameters.add(id);
  return parameters;
}

std::optional<Head> find(Reader& reader, const std::string& ns, const JobId& id) {
  RowSet row = reader.connection.ask({one_head_text.c_str()}, of_id(id));
  if (!row.next()) return std::nullopt;
  Head head = read_head(row, reader.usual);
  return head.job.ns == ns ? std::optional(std::move(head)) : std::nullopt;
}

// A history that cannot be read is left empty, which audit() then finds.
JobRecord read_record(RowSet& row, const Policy& usual) {
  Head head = read_head(row, usual);
  JobRecord record;
  record.result = row.optional_text();
  record.body = read_body(row);
  record.checkpoint = row.optional_text();
  record.error = std::move(head.error);
  record.history = parse_history(head.history.text()).value_or(std::vector<Transition>());
  record.history_dropped = head.job.history_count - std::ssize(record.history);
  record.job = std::move(head.job);
  return record;
}

void add_failures(Reader& reader, std::vector<JobRecord>& records) {
  std::unordered_map<JobId, JobRecord*> by_id;
  Column ids(Type::uuid);
  for (JobRecord& record : records) {
    by_id[record.job.id] = &record;
    ids.add(record.job.id);
  }
  Parameters parameters;
  parameters.add(std::move(ids));
  RowSet rows = reader.connection.ask(failures, std::move(parameters));
  while (rows.next()) {
    JobRecord* record = by_id[rows.id<JobId>()];
    Failure failure{.attempt = rows.small(), .at = rows.instant(), .error = {}};
    failure.error.code = rows.text();
    failure.error.message = rows.text();
    failure.error.details = rows.text();
    record->errors.push_back(std::move(failure));
  }
}

std::vector<JobRecord> read_records(Reader& reader, RowSet rows) {
  std::vector<JobRecord> records;
  while (rows.next()) records.push_back(read_record(rows, reader.usual));
  if (!records.empty()) add_failures(reader, records);
  return records;
}

}  // namespace

Result<JobRecord> get(Reader& reader, const std::string& ns, const JobId& id) {
  auto records = read_records(reader, reader.connection.ask({one_record_text.c_str()}, of_id(id)));
  if (records.empty() || records[0].job.ns != ns) return no_such_job(id);
  return std::move(records[0]);
}

Result<Job> glance(Reader& reader, const std::string& ns, const JobId& id) {
  auto head = find(reader, ns, id);
  if (!head) return no_such_job(id);
  return std::move(head->job);
}

Result<Job> glance_by_key(Reader& reader, const std::string& ns, const std::string& type,
                          const std::string& key) {
  for (const Sql* sql : {&live_of_key, &latest_of_key}) {
    Parameters parameters;
    parameters.add(ns).add(type).add(key);
    RowSet row = reader.connection.ask(*sql, std::move(parameters));
    if (row.next()) return glance(reader, ns, row.id<JobId>());
  }
  return Error{.code = Errc::not_found, .message = "no job of type " + type + " has this key"};
}

Result<KeyView> find_idempotency_key(Reader& reader, const std::string& ns,
                                     const std::string& key) {
  Parameters parameters;
  parameters.add(ns).add(key);
  RowSet row = reader.connection.ask(idempotency_key, std::move(parameters));
  if (!row.next()) {
    return Error{.code = Errc::not_found, .message = "this idempotency key stands for nothing"};
  }
  KeyView view{.job = row.id<JobId>()};
  view.body_hash = static_cast<std::uint64_t>(row.integer());
  view.last_status = static_cast<Status>(row.optional_small().value_or(0));
  if (const auto state = row.optional_small()) {
    view.last_status = status_of(static_cast<State>(*state));
  }
  // Only the whole job tells a canceled one from a failed one among the dead.
  if (view.last_status == Status::failed) {
    if (const auto job = glance(reader, ns, view.job)) view.last_status = status_of(*job);
  }
  return view;
}

Result<std::vector<std::int64_t>> versions(Reader& reader, const std::string& ns,
                                           std::span<const JobId> ids) {
  Parameters parameters;
  parameters.add(ids_column(ids));
  RowSet rows = reader.connection.ask(job_versions, std::move(parameters));
  std::unordered_map<JobId, std::int64_t> known;
  while (rows.next()) {
    const JobId id = rows.id<JobId>();
    const bool here = rows.bytes() == ns;
    known[id] = here ? rows.integer() : 0;
  }
  std::vector<std::int64_t> versions;
  for (const JobId& id : ids) versions.push_back(known[id]);
  return versions;
}

Result<std::vector<AttemptLog>> logs(Reader& reader, const std::string& ns, const JobId& id) {
  if (!find(reader, ns, id)) return no_such_job(id);
  RowSet rows = reader.connection.ask(job_logs, of_id(id));
  std::vector<AttemptLog> logs;
  while (rows.next()) {
    const int attempt = rows.small();
    logs.push_back({.attempt = attempt, .text = rows.text()});
  }
  return logs;
}

Result<std::int64_t> ahead(Reader& reader, const std::string& ns, const JobId& id,
                           std::int64_t most) {
  const auto head = find(reader, ns, id);
  if (!head) return no_such_job(id);
  const Job& job = head->job;
  if (job.state != State::queued) {
    return Error{.code = Errc::invalid,
                 .message = "only a queued job has others ahead of it; this one is " +
                            std::string(to_text(job.state))};
  }
  Parameters parameters;
  parameters.add(ns).add(job.queue).add(job.priority).add(job.order).add(id).add(most);
  RowSet row = reader.connection.ask(count_ahead, std::move(parameters));
  return row.next() ? row.integer() : 0;
}

Result<std::optional<JobId>> each_page(Reader& reader, const JobId& after,
                                       const std::function<bool(const JobRecord&)>& visit) {
  Parameters parameters;
  parameters.add(after).add(page_length);
  const auto page =
      read_records(reader, reader.connection.ask({page_text.c_str()}, std::move(parameters)));
  for (const JobRecord& record : page) {
    if (!visit(record)) return std::optional<JobId>();
  }
  if (std::ssize(page) < page_length) return std::optional<JobId>();
  return std::optional(page.back().job.id);
}

Result<Nothing> each(Reader& reader, const std::function<bool(const JobRecord&)>& visit) {
  std::optional<JobId> last = JobId{};
  while (last) {
    const auto page = each_page(reader, *last, visit);
    if (!page) return page.error();
    last = *page;
  }
  return Nothing{};
}

}  // namespace longshore::postgres
