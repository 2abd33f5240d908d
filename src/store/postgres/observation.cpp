// Nodes and workers that were seen, rules that were configured, minutes that were counted.
#include <optional>
#include <utility>

#include "store/postgres/verbs.h"

namespace longshore::postgres {
namespace {

constexpr Sql last_seen = {"SELECT max(seen_at) FROM @node"};
// What this node may take back, and what ended while nobody looked. Sorted, so that what is
// requeued together keeps the order of enqueueing.
constexpr Sql left_behind = {
    "SELECT job.id FROM @held AS held JOIN @live AS job ON job.id = held.job WHERE held.running "
    "AND ($1 OR job.node = $2 OR (job.lease_expires_at > $3 AND job.lease_expires_at <= $4)) "
    "ORDER BY job.id"};
constexpr Sql start_node = {
    "INSERT INTO @node VALUES ($1, $2, $3, $3) ON CONFLICT (id) DO UPDATE SET name = $2, "
    "started_at = $3, seen_at = $3"};
constexpr Sql see_node = {
    "INSERT INTO @node VALUES ($1, $2, $3, $3) ON CONFLICT (id) DO UPDATE SET name = $2, "
    "seen_at = $3"};
constexpr Sql see_worker = {
    "INSERT INTO @worker VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (ns, worker) "
    "DO UPDATE SET node = $3, queues = $4, types = $5, slots = $6, host = $7, version = $8, "
    "seen_at = $9"};
constexpr Sql record_minute = {
    "INSERT INTO @minute VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) "
    "ON CONFLICT (minute, node, ns, queue, type) DO UPDATE SET enqueued = $6, started = $7, "
    "succeeded = $8, failed = $9, dead = $10, canceled = $11, wait_millis = $12, run_millis = $13"};

bool takes_back(const UnitOfWork& work, const StartNode& start, const Job& job) {
  switch (work.rules().recover_on_start) {
    case Rules::RecoverOnStart::own_workers:
      return job.node == start.node;
    case Rules::RecoverOnStart::every_running:
      return true;
    case Rules::RecoverOnStart::nothing:
      return false;
  }
  return false;
}

// Its worker could not know whom to send a heartbeat.
bool ended_unseen(const Job& job, std::optional<Instant> seen, Instant now) {
  return seen && job.lease_expires_at && *job.lease_expires_at > *seen &&
         *job.lease_expires_at <= now;
}

std::vector<JobId> jobs_left_behind(UnitOfWork& work, const NodeId& node,
                                    std::optional<Instant> seen) {
  work.flush();
  Parameters parameters;
  parameters.add(work.rules().recover_on_start == Rules::RecoverOnStart::every_running);
  parameters.add(node).add(seen.value_or(Instant::never())).add(work.now());
  RowSet rows = work.connection().ask(left_behind, std::move(parameters));
  std::vector<JobId> ids;
  while (rows.next()) ids.push_back(rows.id<JobId>());
  work.load(ids);
  return ids;
}

void see(UnitOfWork& work, const Sql& sql, const NodeId& node, const std::string& name) {
  Parameters parameters;
  parameters.add(node).add(name).add(work.now());
  work.connection().ask(sql, std::move(parameters));
  work.note_write();
}

}  // namespace

Verdict run(UnitOfWork& work, const StartNode& start) {
  RowSet row = work.connection().ask(last_seen);
  const std::optional<Instant> seen = row.next() ? row.optional_instant() : std::nullopt;
  Swept swept;
  for (const JobId& id : jobs_left_behind(work, start.node, seen)) {
    const Entry* entry = work.find(id);
    if (entry == nullptr || entry->job().state != State::running) continue;
    if (takes_back(work, start, entry->job())) {
      swept.count += judge(work, entry, RecoverEvent{}).changed;
    } else if (ended_unseen(entry->job(), seen, work.now())) {
      swept.count += judge(work, entry, GraceEvent{}).changed;
    }
  }
  see(work, start_node, start.node, start.name);
  return swept;
}

Verdict run(UnitOfWork& work, const SeeNode& node) {
  see(work, see_node, node.node, node.name);
  return Done{};
}

Verdict run(UnitOfWork& work, const Configure& configure) {
  work.lock_config();
  replace_rules(work.connection(), configure);
  Config config{.version = work.config().version, .pauses = work.config().pauses};
  for (const QueueRule& rule : configure.queues) config.queues[{rule.ns, rule.queue}] = rule;
  for (const TypeRule& rule : configure.types) config.types[{rule.ns, rule.type}] = rule;
  work.configured(std::move(config));
  return Done{};
}

Verdict run(UnitOfWork& work, const SeeWorkers& seen) {
  for (const WorkerInfo& info : seen.workers) {
    Parameters parameters;
    parameters.add(info.ns).add(info.worker).add(info.node).add(list_text(info.queues));
    parameters.add(list_text(info.types)).add(info.slots).add(info.host).add(info.version);
    parameters.add(work.now());
    work.connection().line_up(see_worker, std::move(parameters));
  }
  work.connection().exchange();
  work.note_write();
  return Done{};
}

Verdict run(UnitOfWork& work, const RecordMinutes& record) {
  for (const MinuteRow& row : record.rows) {
    Parameters parameters;
    parameters.add(row.minute).add(row.node).add(row.ns).add(row.queue).add(row.type);
    for (const std::int64_t count : {row.enqueued, row.started, row.succeeded, row.failed, row.dead,
                                     row.canceled, row.wait_millis, row.run_millis}) {
      parameters.add(count);
    }
    work.connection().line_up(record_minute, std::move(parameters));
  }
  work.connection().exchange();
  work.note_write();
  return Done{};
}

}  // namespace longshore::postgres
