// Single jobs, and all of them.
#include <utility>

#include "core/record/history_text.h"
#include "store/sqlite/read/catalog.h"

namespace longshore::sqlite {
namespace {

// What one read hands out of a walk through everything.
constexpr int slice_jobs = 500;
constexpr std::size_t slice_bytes = 4 * 1024 * 1024;

Error no_such_job(const JobId& id) {
  return {.code = Errc::not_found, .message = "there is no job " + to_text(id)};
}

std::optional<Found> find(Reader& reader, const std::string& ns, const JobId& id) {
  auto found = reader.jobs.find(id);
  if (found && found->head.job.ns != ns) found.reset();
  return found;
}

std::vector<Failure> failures_of(Reader& reader, const JobId& id) {
  std::vector<Failure> failures;
  Statement& rows = reader.failures;
  RowGuard guard(rows);
  rows.begin();
  rows.bind(id);
  while (rows.step()) {
    Failure failure{.attempt = rows.small(), .at = rows.instant(), .error = {}};
    failure.error.code = rows.text();
    failure.error.message = rows.text();
    failure.error.details = rows.text();
    failures.push_back(std::move(failure));
  }
  return failures;
}

// A history that cannot be read is left empty, which audit() then finds.
JobRecord record_of(Reader& reader, Found found) {
  Head& head = found.head;
  const JobId id = head.job.id;
  JobRecord record;
  record.body = reader.jobs.body(id);
  if (found.home == Home::done) record.result = reader.jobs.result(id);
  if (head.has_checkpoint) record.checkpoint = reader.jobs.checkpoint(id);
  record.error = std::move(head.error);
  record.errors = failures_of(reader, id);
  record.history = parse_history(head.history).value_or(std::vector<Transition>());
  record.history_dropped = head.job.history_count - std::ssize(record.history);
  record.job = std::move(head.job);
  return record;
}

std::size_t bytes_of(const JobRecord& record) {
  std::size_t bytes = record.body.payload.size() + record.body.metadata.size();
  for (const auto* part : {&record.result, &record.checkpoint})
    bytes += *part ? (*part)->size() : 0;
  for (const Failure& failure : record.errors) bytes += failure.error.details.size();
  return bytes;
}

}  // namespace

Result<JobRecord> get(Reader& reader, const std::string& ns, const JobId& id) {
  auto found = find(reader, ns, id);
  if (!found) return no_such_job(id);
  return record_of(reader, std::move(*found));
}

Result<Job> glance(Reader& reader, const std::string& ns, const JobId& id) {
  auto found = find(reader, ns, id);
  if (!found) return no_such_job(id);
  return std::move(found->head.job);
}

Result<Job> glance_by_key(Reader& reader, const std::string& ns, const std::string& type,
                          const std::string& key) {
  reader.kind.begin();
  reader.kind.bind(ns);
  reader.kind.bind(type);
  RowGuard guard(reader.kind);
  if (reader.kind.step()) {
    const std::int64_t kind = reader.kind.integer();
    auto id = reader.jobs.find_live_key(kind, key);
    if (!id) id = reader.jobs.find_done_key(kind, key);
    if (id) return glance(reader, ns, *id);
  }
  return Error{.code = Errc::not_found, .message = "no job of type " + type + " has this key"};
}

Result<KeyView> find_idempotency_key(Reader& reader, const std::string& ns,
                                     const std::string& key) {
  const auto space = reader.keys.find_space(ns, false);
  const auto bound = space ? reader.keys.find(*space, key) : std::nullopt;
  if (!bound) {
    return Error{.code = Errc::not_found, .message = "this idempotency key stands for nothing"};
  }
  KeyView view{.job = bound->job, .body_hash = bound->body_hash};
  if (const auto found = reader.jobs.find(bound->job)) {
    view.last_status = status_of(found->head.job);
    return view;
  }
  reader.gone.begin();
  reader.gone.bind(bound->job);
  RowGuard guard(reader.gone);
  if (reader.gone.step()) view.last_status = static_cast<Status>(reader.gone.small());
  return view;
}

Result<std::vector<std::int64_t>> versions(Reader& reader, const std::string& ns,
                                           std::span<const JobId> ids) {
  std::vector<std::int64_t> versions;
  for (const JobId& id : ids) {
    const auto found = find(reader, ns, id);
    versions.push_back(found ? found->head.job.version : 0);
  }
  return versions;
}

Result<std::vector<AttemptLog>> logs(Reader& reader, const std::string& ns, const JobId& id) {
  if (!find(reader, ns, id)) return no_such_job(id);
  Statement rows(*reader.database, "SELECT attempt, text FROM log WHERE id = ? ORDER BY attempt");
  rows.bind(id);
  std::vector<AttemptLog> logs;
  while (rows.step()) {
    const int attempt = rows.small();
    logs.push_back({.attempt = attempt, .text = rows.text()});
  }
  return logs;
}

Result<std::int64_t> ahead(Reader& reader, const std::string& ns, const JobId& id,
                           std::int64_t most) {
  const auto found = find(reader, ns, id);
  if (!found) return no_such_job(id);
  const Job& job = found->head.job;
  if (job.state != State::queued) {
    return Error{.code = Errc::invalid,
                 .message = "only a queued job has others ahead of it; this one is " +
                            std::string(to_text(job.state))};
  }
  Statement count(*reader.database,
                  "SELECT count(*) FROM (SELECT 1 FROM lane JOIN live ON live.lane = lane.id "
                  "WHERE lane.ns = ?1 AND lane.queue = ?2 AND live.state = 2 AND "
                  "(live.priority, live.ord) < (?3, ?4) LIMIT ?5)");
  count.bind(ns);
  count.bind(job.queue);
  count.bind(job.priority);
  count.bind(job.order);
  count.bind(most);
  return count.step() ? count.integer() : 0;
}

Result<std::optional<JobId>> each_slice(Reader& reader, const JobId& after,
                                        const std::function<bool(JobRecord&&)>& visit) {
  Statement ids(*reader.database,
                "SELECT id FROM live WHERE id > ?1 UNION ALL SELECT id FROM done WHERE id > ?1 "
                "ORDER BY 1 LIMIT ?2");
  ids.bind(after);
  ids.bind(slice_jobs);
  std::optional<JobId> last;
  std::size_t bytes = 0;
  while (bytes < slice_bytes && ids.step()) {
    last = ids.id<JobId>();
    auto found = reader.jobs.find(*last);
    if (!found) continue;
    JobRecord record = record_of(reader, std::move(*found));
    bytes += bytes_of(record);
    if (!visit(std::move(record))) return std::optional<JobId>();
    if (reader.limit.half_over()) break;
  }
  return last;
}

// What visits may take its time: it holds no snapshot.
Result<Nothing> each(Readers& readers, const std::function<bool(const JobRecord&)>& visit) {
  std::optional<JobId> after = JobId{};
  while (after) {
    std::vector<JobRecord> slice;
    const auto last = readers.read_again([&](Reader& reader) {
      slice.clear();
      return each_slice(reader, *after, [&](JobRecord&& record) {
        slice.push_back(std::move(record));
        return true;
      });
    });
    if (!last) return last.error();
    for (const JobRecord& record : slice) {
      if (!visit(record)) return Nothing{};
    }
    after = *last;
  }
  return Nothing{};
}

}  // namespace longshore::sqlite
