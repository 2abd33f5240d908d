// Nodes and workers that were seen, rules that were configured, minutes that were counted.
#include <optional>
#include <utility>

#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

// A node says seldom that it is there, but whoever commits is there too. A commit_counter that has
// seen no commit is only somebody who opened the store.
constexpr Sql latest_sighting = {
    "SELECT greatest(max(seen_at), (SELECT max(at) FROM @witness WHERE commits > 0)) FROM @node "
    "HAVING max(seen_at) IS NOT NULL"};
// What this node may take back, and what ended while nobody looked. Sorted, so that what is
// requeued together keeps the order of enqueueing.
constexpr Sql running_of = {
    "SELECT job.id FROM @held AS held JOIN @live AS job ON job.id = held.job WHERE held.running "
    "AND ($1 OR job.node = $2 OR (job.lease_expires_at > $3 AND job.lease_expires_at <= $4)) "
    "ORDER BY job.id"};
constexpr Sql node_starts = {
    "INSERT INTO @node VALUES ($1, $2, $3, $3) ON CONFLICT (id) DO UPDATE SET name = $2, "
    "started_at = $3, seen_at = $3"};
constexpr Sql node_seen = {
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

constexpr Sql forget_minutes = {"DELETE FROM @minute WHERE minute < $1"};
constexpr Sql forget_workers = {"DELETE FROM @worker WHERE seen_at <= $1"};
constexpr Sql same_entry = {
    "SELECT 1 FROM (SELECT * FROM @audit WHERE ns = $1 ORDER BY number DESC LIMIT 100) AS newest "
    "WHERE at >= $2 AND actor = $3 AND request_id = $4 AND action = $5 AND target = $6 LIMIT 1"};
// Found once: a plain subquery may be run again for each row, and then finds more than its limit.
constexpr Sql forget_entries = {
    "WITH old AS MATERIALIZED (SELECT number FROM @audit WHERE at < $1 "
    "ORDER BY at, number LIMIT $2 FOR UPDATE SKIP LOCKED) "
    "DELETE FROM @audit AS entry USING old WHERE entry.number = old.number"};
constexpr Sql forget_quiet_groups = {
    "WITH old AS MATERIALIZED (SELECT ns, type, fingerprint FROM @error_group WHERE last_at < $1 "
    "ORDER BY last_at LIMIT $2 FOR UPDATE SKIP LOCKED) "
    "DELETE FROM @error_group AS one USING old WHERE one.ns = old.ns AND one.type = old.type "
    "AND one.fingerprint = old.fingerprint"};

Parameters at(Instant when) {
  Parameters parameters;
  parameters.add(when);
  return parameters;
}

}  // namespace

std::optional<Instant> PostgresTransaction::last_up() {
  RowSet row = connection_.ask(latest_sighting);
  return row.next() ? row.optional_instant() : std::nullopt;
}

std::vector<JobId> PostgresTransaction::left_behind(const NodeId& node, std::optional<Instant> up) {
  flush();
  Parameters parameters;
  parameters.add(rules().recover_on_start == Rules::RecoverOnStart::every_running);
  parameters.add(node).add(up.value_or(Instant::never())).add(now_);
  RowSet rows = connection_.ask(running_of, std::move(parameters));
  std::vector<JobId> ids;
  while (rows.next()) ids.push_back(rows.id<JobId>());
  return ids;
}

void PostgresTransaction::see(const Sql& sql, const NodeId& node, const std::string& name) {
  Parameters parameters;
  parameters.add(node).add(name).add(now_);
  connection_.ask(sql, std::move(parameters));
  wrote_ = true;
}

void PostgresTransaction::start_node(const NodeId& node, const std::string& name) {
  see(node_starts, node, name);
}

void PostgresTransaction::see_node(const NodeId& node, const std::string& name) {
  see(node_seen, node, name);
}

void PostgresTransaction::see_workers(std::span<const WorkerInfo> workers) {
  for (const WorkerInfo& info : workers) {
    Parameters parameters;
    parameters.add(info.ns).add(info.worker).add(info.node).add(list_text(info.queues));
    parameters.add(list_text(info.types)).add(info.slots).add(info.host).add(info.version);
    parameters.add(now_);
    connection_.enqueue_statement(see_worker, std::move(parameters));
  }
  connection_.exchange();
  wrote_ = true;
}

void PostgresTransaction::record_minutes(std::span<const MinuteRow> rows) {
  for (const MinuteRow& row : rows) {
    Parameters parameters;
    parameters.add(row.minute).add(row.node).add(row.ns).add(row.queue).add(row.type);
    for (const std::int64_t count : {row.enqueued, row.started, row.succeeded, row.failed, row.dead,
                                     row.canceled, row.wait_millis, row.run_millis}) {
      parameters.add(count);
    }
    connection_.enqueue_statement(record_minute, std::move(parameters));
  }
  connection_.exchange();
  wrote_ = true;
}

void PostgresTransaction::forget_sightings(Instant minutes, Instant workers) {
  connection_.enqueue_statement(forget_minutes, at(minutes));
  connection_.enqueue_statement(forget_workers, at(workers));
  connection_.exchange();
}

bool PostgresTransaction::is_audited(const RecordAudit& record, Instant since) {
  if (side_writes_.is_audited(record)) return true;
  Parameters parameters;
  parameters.add(record.ns).add(since).add(record.actor.name).add(record.actor.request_id);
  parameters.add(record.action).add(record.target);
  return connection_.ask(same_entry, std::move(parameters)).next();
}

std::int64_t PostgresTransaction::forget(const Sql& sql, Instant before, std::int64_t limit) {
  Parameters which = at(before);
  which.add(limit);
  const std::int64_t count = connection_.ask(sql, std::move(which)).affected();
  if (count > 0) wrote_ = true;
  return count;
}

std::int64_t PostgresTransaction::forget_trail(Instant before, std::int64_t limit) {
  return forget(forget_entries, before, limit);
}

std::int64_t PostgresTransaction::forget_groups(Instant before, std::int64_t limit) {
  return forget(forget_quiet_groups, before, limit);
}

void PostgresTransaction::configure(const Configure& configure) {
  lock_config();
  replace_rules(connection_, configure);
  Config config{.version = config_->version, .rules = config_->rules, .pauses = config_->pauses};
  for (const QueueRule& rule : configure.queues) config.queues[{rule.ns, rule.queue}] = rule;
  for (const TypeRule& rule : configure.types) config.types[{rule.ns, rule.type}] = rule;
  configured(std::move(config));
}

RulesRecord PostgresTransaction::rules_record() {
  lock_config();
  return *config_->rules;
}

void PostgresTransaction::set_rules(const RulesRecord& record) {
  write_rules(connection_, record);
  Config config = *config_;
  config.rules = std::make_shared<const RulesRecord>(record);
  configured(std::move(config));
}

bool PostgresTransaction::set_pause(const std::string& ns, const std::string& queue, bool paused) {
  const Scoped name{ns, queue};
  lock_config();
  if (config_->pauses.contains(name) == paused) return false;
  Config config = *config_;
  if (paused) {
    config.pauses.insert(name);
  } else {
    config.pauses.erase(name);
  }
  postgres::set_pause(connection_, name, paused);
  configured(std::move(config));
  return true;
}

}  // namespace longshore::postgres
