// Everything in the catalog that is not a job.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/record/error_group.h"
#include "store/postgres/read/catalog.h"
#include "store/postgres/write/config.h"
#include "store/postgres/write/rows.h"
#include "store/postgres/write/tokens.h"

namespace longshore::postgres {
namespace {

constexpr Sql depths = {
    "SELECT queue, sum(created)::bigint, sum(scheduled)::bigint, sum(queued)::bigint, "
    "sum(running)::bigint, sum(waiting)::bigint, sum(retry)::bigint, sum(success)::bigint, "
    "sum(dead)::bigint, sum(canceled)::bigint FROM @tally WHERE ns = $1 AND queue >= $2 GROUP BY "
    "queue "
    "HAVING sum(created + scheduled + queued + running + waiting + retry + success + dead + "
    "canceled) <> 0 ORDER BY queue LIMIT $3"};
// Nothing touches a job while it is queued, so its last update is when it became eligible.
constexpr Sql head_of_queue = {
    "SELECT job.updated_at FROM @ready AS place JOIN @live AS job ON job.id = place.job "
    "WHERE place.ns = $1 AND place.queue = $2 ORDER BY place.priority, place.ord, place.job LIMIT "
    "1"};
constexpr Sql pauses = {
    "SELECT queue FROM @pause WHERE ns = $1 AND queue >= $2 ORDER BY queue LIMIT $3"};
constexpr Sql limits = {
    "SELECT queue, max_running FROM @queue_rule WHERE ns = $1 AND queue >= $2 ORDER BY queue "
    "LIMIT $3"};
constexpr Sql all_workers = {
    "SELECT worker, node, queues, types, slots, host, version, seen_at FROM @worker "
    "WHERE ns = $1 ORDER BY worker"};
constexpr Sql held_by_workers = {
    "SELECT job.worker, job.id FROM @held AS held JOIN @live AS job ON job.id = held.job "
    "WHERE held.running AND held.ns = $1 ORDER BY job.id"};
constexpr Sql all_nodes = {"SELECT id, name, started_at, seen_at FROM @node ORDER BY id"};
constexpr Sql all_minutes = {
    "SELECT minute, node, queue, type, enqueued, started, succeeded, failed, dead, canceled, "
    "wait_millis, run_millis FROM @minute WHERE ns = $1 AND minute >= $2 "
    "ORDER BY minute, node, queue, type"};
constexpr Sql groups_of_errors = {
    "SELECT type, fingerprint, count, first_at, last_at, sample, code, message FROM @error_group "
    "WHERE ns = $1"};
constexpr Sql trail = {
    "SELECT number, at, actor, request_id, action, target FROM @audit WHERE ns = $1 "
    "AND number < $2 ORDER BY number DESC LIMIT $3"};
// Each job is looked up by its id: OFFSET 0 leaves no other plan.
const std::string jobs_of_group_text =
    "SELECT " + head_values("job") +
    " FROM @failure AS one CROSS JOIN LATERAL (SELECT * FROM @every_job AS every "
    "WHERE every.id = one.id OFFSET 0) AS job WHERE one.fingerprint = $1 AND job.ns = $2 AND "
    "one.at >= $4 AND "
    "one.seq = (SELECT max(seq) FROM @failure AS other WHERE other.id = one.id) "
    "ORDER BY one.id DESC LIMIT $3";
const std::string tokens_text = std::string(select_tokens) + "ORDER BY id";

Parameters of(const std::string& ns) {
  Parameters parameters;
  parameters.add(ns);
  return parameters;
}

std::map<State, std::int64_t> read_depth(RowSet& row) {
  std::map<State, std::int64_t> depth;
  for (int i = 0; i < state_count; ++i) {
    const std::int64_t count = row.integer();
    if (count != 0) depth[static_cast<State>(i)] = count;
  }
  return depth;
}

std::optional<Instant> head_since(Reader& reader, const std::string& ns, const std::string& queue) {
  Parameters parameters = of(ns);
  parameters.add(queue);
  RowSet row = reader.connection.ask(head_of_queue, std::move(parameters));
  return row.next() ? row.optional_instant() : std::nullopt;
}

}  // namespace

// A queue exists while it has jobs, a rule or a pause.
Result<std::vector<QueueView>> queues(Reader& reader, const std::string& ns,
                                      const std::string& from, int limit) {
  std::map<std::string, QueueView> views;
  for (const Sql* sql : {&depths, &pauses, &limits}) {
    Parameters parameters = of(ns);
    parameters.add(from).add(std::int64_t{limit});
    reader.connection.enqueue_statement(*sql, std::move(parameters));
  }
  std::vector<RowSet> rows = reader.connection.exchange();
  if (reader.connection.trouble()) return std::vector<QueueView>();
  for (RowSet& row = rows[0]; row.next();) {
    const std::string queue = row.text();
    auto depth = read_depth(row);
    if (!depth.empty()) views[queue].depth = std::move(depth);
  }
  for (RowSet& row = rows[1]; row.next();) views[row.text()].paused = true;
  for (RowSet& row = rows[2]; row.next();) {
    QueueView& view = views[row.text()];
    view.max_running = row.optional_small();
  }
  std::vector<QueueView> answer;
  for (auto& [name, view] : views) {
    if (std::ssize(answer) == limit) break;
    view.ns = ns;
    view.queue = name;
    if (view.depth.contains(State::queued)) view.oldest_queued = head_since(reader, ns, name);
    answer.push_back(std::move(view));
  }
  return answer;
}

Result<std::vector<WorkerView>> workers(Reader& reader, const std::string& ns) {
  RowSet held = reader.connection.ask(held_by_workers, of(ns));
  std::map<std::string, std::vector<JobId>> jobs;
  while (held.next()) {
    std::vector<JobId>& mine = jobs[held.text()];
    mine.push_back(held.id<JobId>());
  }
  RowSet rows = reader.connection.ask(all_workers, of(ns));
  std::vector<WorkerView> views;
  while (rows.next()) {
    WorkerView view;
    view.info.ns = ns;
    view.info.worker = rows.text();
    view.info.node = rows.optional_id<NodeId>();
    view.info.queues = parse_list(rows.bytes());
    view.info.types = parse_list(rows.bytes());
    view.info.slots = rows.small();
    view.info.host = rows.text();
    view.info.version = rows.text();
    view.seen_at = rows.instant();
    view.jobs = jobs[view.info.worker];
    views.push_back(std::move(view));
  }
  return views;
}

Result<std::vector<NodeView>> nodes(Reader& reader) {
  RowSet rows = reader.connection.ask(all_nodes);
  std::vector<NodeView> views;
  while (rows.next()) {
    NodeView view;
    view.node = rows.id<NodeId>();
    view.name = rows.text();
    view.started_at = rows.instant();
    view.seen_at = rows.instant();
    views.push_back(std::move(view));
  }
  return views;
}

Result<std::vector<MinuteRow>> minutes(Reader& reader, const std::string& ns, Instant since) {
  Parameters parameters = of(ns);
  parameters.add(since);
  RowSet rows = reader.connection.ask(all_minutes, std::move(parameters));
  std::vector<MinuteRow> minutes;
  while (rows.next()) {
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
    minutes.push_back(std::move(row));
  }
  return minutes;
}

Result<std::vector<ErrorGroup>> error_groups(Reader& reader, const std::string& ns) {
  RowSet rows = reader.connection.ask(groups_of_errors, of(ns));
  std::vector<ErrorGroup> groups;
  while (rows.next()) {
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
    groups.push_back(std::move(group));
  }
  // PostgreSQL has no unsigned numbers to sort by.
  std::ranges::sort(groups, {},
                    [](const ErrorGroup& g) { return std::pair(g.type, g.fingerprint); });
  return groups;
}

Result<std::vector<GroupJobs>> jobs_of_groups(Reader& reader, std::span<const ErrorGroup> groups,
                                              int most) {
  std::vector<GroupJobs> answer;
  for (const ErrorGroup& group : groups) {
    Parameters parameters;
    parameters.add(static_cast<std::int64_t>(group.fingerprint)).add(group.ns).add(most + 1);
    parameters.add(group.first_at);
    RowSet rows = reader.connection.ask({jobs_of_group_text.c_str()}, std::move(parameters));
    GroupJobs& jobs = answer.emplace_back();
    for (int counted = 0; !jobs.more && rows.next(); ++counted) {
      jobs.more = counted == most;
      if (!jobs.more) count_job(jobs, read_head(rows, reader.usual).job);
    }
  }
  return answer;
}

Result<std::vector<AuditEntry>> audit_trail(Reader& reader, const std::string& ns, int limit,
                                            std::optional<std::int64_t> before) {
  Parameters parameters = of(ns);
  parameters.add(before.value_or(std::numeric_limits<std::int64_t>::max()));
  parameters.add(std::max(limit, 0));
  RowSet rows = reader.connection.ask(trail, std::move(parameters));
  std::vector<AuditEntry> entries;
  while (rows.next()) {
    AuditEntry entry;
    entry.ns = ns;
    entry.number = rows.integer();
    entry.at = rows.instant();
    entry.actor.name = rows.text();
    entry.actor.request_id = rows.text();
    entry.action = rows.text();
    entry.target = rows.text();
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<TokenRecord>> tokens(Reader& reader) {
  RowSet rows = reader.connection.ask({tokens_text.c_str()});
  std::vector<TokenRecord> tokens;
  while (rows.next()) tokens.push_back(read_token(rows));
  return tokens;
}

Result<Configure> configuration(Reader& reader) {
  const Config config = load_config(reader.connection, nullptr);
  Configure configure;
  for (const auto& [name, rule] : config.queues) configure.queues.push_back(rule);
  for (const auto& [name, rule] : config.types) configure.types.push_back(rule);
  return configure;
}

}  // namespace longshore::postgres
