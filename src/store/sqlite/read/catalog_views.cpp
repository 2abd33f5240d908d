// Everything in the catalog that is not a job.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/record/error_group.h"
#include "store/sqlite/read/catalog.h"
#include "store/sqlite/write/tokens.h"

namespace longshore::sqlite {
namespace {

void read_depth(Statement& row, std::map<State, std::int64_t>& depth) {
  for (int i = 0; i < state_count; ++i) {
    const std::int64_t count = row.integer();
    if (count != 0) depth[static_cast<State>(i)] = count;
  }
}

// Nothing touches a job while it is queued, so its last update is when it became eligible.
constexpr const char* head_since =
    "SELECT (SELECT updated_at FROM live WHERE id = first) FROM ("
    "SELECT priority, ord, live.id AS first FROM lane JOIN live ON live.lane = lane.id "
    "WHERE lane.ns = ? AND lane.queue = ? AND lane.queued > 0 AND live.state = 2 "
    "ORDER BY priority, ord LIMIT 1)";

std::optional<Instant> ask_since(Statement& row, const std::string& ns, const std::string& queue) {
  const RowGuard guard(row);
  row.begin();
  row.bind(ns);
  row.bind(queue);
  return row.step() ? row.optional_instant() : std::nullopt;
}

std::map<std::string, std::vector<JobId>> jobs_of_workers(Reader& reader, const std::string& ns) {
  Statement rows(*reader.database,
                 "SELECT live.worker, live.id FROM live JOIN lane ON lane.id = live.lane "
                 "WHERE live.state IN (3, 4) AND live.state = 3 AND lane.ns = ? ORDER BY live.id");
  rows.bind(ns);
  std::map<std::string, std::vector<JobId>> jobs;
  while (rows.step()) {
    std::string worker = rows.text();
    jobs[std::move(worker)].push_back(rows.id<JobId>());
  }
  return jobs;
}

std::optional<int> optional_small(Statement& row) {
  if (row.is_null()) return row.skip(), std::nullopt;
  return row.small();
}

std::optional<Duration> optional_length(Statement& row) {
  if (row.is_null()) return row.skip(), std::nullopt;
  return row.duration();
}

template <class Rule>
void read_rule(Statement& row, Rule& rule) {
  rule.max_running = optional_small(row);
  rule.keep_success = optional_length(row);
  rule.keep_canceled = optional_length(row);
  rule.keep_dead = optional_length(row);
}

}  // namespace

// A queue exists while it has jobs, a rule or a pause.
// Each of the three tables gives as many as are wanted, in order: so the first of all of them are
// among these.
Result<std::vector<QueueView>> queues(Reader& reader, const std::string& ns,
                                      const std::string& from, int limit) {
  std::map<std::string, QueueView> views;
  const auto begin = [&](Statement& rows) {
    rows.bind(ns);
    rows.bind(from);
    rows.bind(limit);
  };
  const std::string page = " WHERE ns = ? AND queue >= ? ORDER BY queue LIMIT ?";
  Statement counts(*reader.database,
                   "SELECT queue, sum(created), sum(scheduled), sum(queued), sum(running), "
                   "sum(waiting), sum(retry), sum(success), sum(dead), sum(canceled) "
                   "FROM lane WHERE ns = ? AND queue >= ? GROUP BY queue "
                   "HAVING sum(created + scheduled + queued + running + waiting + retry + success "
                   "+ dead + canceled) <> 0 ORDER BY queue LIMIT ?");
  begin(counts);
  while (counts.step()) {
    const std::string queue = counts.text();
    read_depth(counts, views[queue].depth);
  }
  Statement pauses(*reader.database, "SELECT queue FROM pause" + page);
  begin(pauses);
  while (pauses.step()) views[pauses.text()].paused = true;
  Statement rules(*reader.database, "SELECT queue, max_running FROM queue_rule" + page);
  begin(rules);
  while (rules.step()) {
    QueueView& view = views[rules.text()];
    view.max_running = optional_small(rules);
  }
  Statement since(*reader.database, head_since);
  std::vector<QueueView> answer;
  for (auto& [name, view] : views) {
    if (std::ssize(answer) == limit) break;
    view.ns = ns;
    view.queue = name;
    if (view.depth.contains(State::queued)) view.oldest_queued = ask_since(since, ns, name);
    answer.push_back(std::move(view));
  }
  return answer;
}

Result<std::vector<WorkerView>> workers(Reader& reader, const std::string& ns) {
  Statement rows(*reader.database,
                 "SELECT worker, node, queues, types, slots, host, version, seen_at FROM worker "
                 "WHERE ns = ? ORDER BY worker");
  rows.bind(ns);
  std::map<std::string, std::vector<JobId>> jobs = jobs_of_workers(reader, ns);
  std::vector<WorkerView> views;
  while (rows.step()) {
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
    view.jobs = std::move(jobs[view.info.worker]);
    views.push_back(std::move(view));
  }
  return views;
}

Result<std::vector<NodeView>> nodes(Reader& reader) {
  Statement rows(*reader.database, "SELECT id, name, started_at, seen_at FROM node ORDER BY id");
  std::vector<NodeView> views;
  while (rows.step()) {
    NodeView view;
    view.node = rows.id<NodeId>();
    view.name = rows.text();
    view.started_at = rows.instant();
    view.seen_at = rows.instant();
    views.push_back(std::move(view));
  }
  return views;
}

Result<std::vector<GroupJobs>> jobs_of_groups(Reader& reader, std::span<const ErrorGroup> groups,
                                              int most) {
  Statement rows(*reader.database,
                 "SELECT id FROM failure AS one WHERE fingerprint = ? AND at >= ? AND "
                 "seq = (SELECT max(seq) FROM failure WHERE id = one.id) ORDER BY id DESC");
  std::vector<GroupJobs> answer;
  for (const ErrorGroup& group : groups) {
    RowGuard guard(rows);
    rows.begin();
    rows.bind(group.fingerprint);
    rows.bind(group.first_at);
    GroupJobs& jobs = answer.emplace_back();
    for (int counted = 0; !jobs.more && rows.step();) {
      const auto found = reader.jobs.find(rows.id<JobId>());
      if (!found || found->head.job.ns != group.ns) continue;
      jobs.more = counted++ == most;
      if (!jobs.more) count_job(jobs, found->head.job);
    }
  }
  return answer;
}

Result<std::vector<AuditEntry>> audit_trail(Reader& reader, const std::string& ns, int limit,
                                            std::optional<std::int64_t> before) {
  Statement rows(*reader.database,
                 "SELECT number, at, actor, request_id, action, target FROM audit WHERE ns = ? "
                 "AND number < ? ORDER BY number DESC LIMIT ?");
  rows.bind(ns);
  rows.bind(before.value_or(std::numeric_limits<std::int64_t>::max()));
  rows.bind(std::max(limit, 0));
  std::vector<AuditEntry> entries;
  while (rows.step()) {
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
  Statement rows(*reader.database,
                 std::string("SELECT ") + token_columns + " FROM token ORDER BY id");
  std::vector<TokenRecord> tokens;
  while (rows.step()) tokens.push_back(read_token(rows));
  return tokens;
}

Result<Configure> configuration(Reader& reader) {
  Configure configure;
  Statement queues(*reader.database,
                   "SELECT ns, queue, max_running, keep_success, keep_canceled, keep_dead "
                   "FROM queue_rule ORDER BY ns, queue");
  while (queues.step()) {
    QueueRule rule{.ns = queues.text(), .queue = queues.text()};
    read_rule(queues, rule);
    configure.queues.push_back(std::move(rule));
  }
  Statement types(*reader.database,
                  "SELECT ns, type, max_running, keep_success, keep_canceled, keep_dead "
                  "FROM type_rule ORDER BY ns, type");
  while (types.step()) {
    TypeRule rule{.ns = types.text(), .type = types.text()};
    read_rule(types, rule);
    configure.types.push_back(std::move(rule));
  }
  return configure;
}

}  // namespace longshore::sqlite
