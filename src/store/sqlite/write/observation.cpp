// Nodes and workers that were seen, queues that were paused, minutes that were counted.
#include <algorithm>
#include <optional>

#include "store/sqlite/write/transaction.h"

namespace longshore::sqlite {

std::optional<Instant> SqliteTransaction::last_up() {
  Statement row(database_, "SELECT max(seen_at) FROM node");
  const auto seen = row.step() ? row.optional_instant() : std::nullopt;
  // A node says seldom that it is there, but whoever commits is there too.
  return seen ? std::optional(std::max(*seen, saved_time_.highest)) : std::nullopt;
}

std::vector<JobId> SqliteTransaction::left_behind(const NodeId&, std::optional<Instant>) {
  return leases_.all();
}

void SqliteTransaction::start_node(const NodeId& node, const std::string& name) {
  Statement insert(database_, "REPLACE INTO node VALUES (?1, ?2, ?3, ?3)");
  insert.run(node, name, now_);
}

void SqliteTransaction::see_node(const NodeId& node, const std::string& name) {
  Statement upsert(database_,
                   "INSERT INTO node VALUES (?1, ?2, ?3, ?3) "
                   "ON CONFLICT DO UPDATE SET name = ?2, seen_at = ?3");
  upsert.run(node, name, now_);
}

void SqliteTransaction::see_workers(std::span<const WorkerInfo> workers) {
  Statement replace(database_, "REPLACE INTO worker VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const WorkerInfo& info : workers) {
    const std::string queues = list_text(info.queues);
    const std::string types = list_text(info.types);
    replace.run(info.ns, info.worker, info.node, queues, types, info.slots, info.host, info.version,
                now_);
  }
}

void SqliteTransaction::record_minutes(std::span<const MinuteRow> rows) {
  Statement replace(database_,
                    "REPLACE INTO minute VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const MinuteRow& row : rows) {
    replace.run(row.minute, row.node, row.ns, row.queue, row.type, row.enqueued, row.started,
                row.succeeded, row.failed, row.dead, row.canceled, row.wait_millis, row.run_millis);
  }
}

void SqliteTransaction::forget_sightings(Instant minutes, Instant workers) {
  Statement old_minutes(database_, "DELETE FROM minute WHERE minute < ?");
  old_minutes.run(minutes);
  Statement old_workers(database_, "DELETE FROM worker WHERE seen_at <= ?");
  old_workers.run(workers);
}

bool SqliteTransaction::is_audited(const RecordAudit& record, Instant since) {
  Statement row(database_,
                "SELECT 1 FROM (SELECT * FROM audit WHERE ns = ? ORDER BY number DESC LIMIT 100) "
                "WHERE at >= ? AND actor = ? AND request_id = ? AND action = ? AND target = ?");
  row.bind(record.ns);
  row.bind(since);
  row.bind(record.actor.name);
  row.bind(record.actor.request_id);
  row.bind(record.action);
  row.bind(record.target);
  return row.step();
}

std::int64_t SqliteTransaction::forget_trail(Instant before, std::int64_t limit) {
  Statement old(database_,
                "DELETE FROM audit WHERE number IN "
                "(SELECT number FROM audit WHERE at < ? ORDER BY at, number LIMIT ?)");
  old.run(before, limit);
  return database_.changes();
}

std::int64_t SqliteTransaction::forget_groups(Instant before, std::int64_t limit) {
  Statement old(database_,
                "DELETE FROM error_group WHERE (ns, type, fingerprint) IN "
                "(SELECT ns, type, fingerprint FROM error_group WHERE last_at < ? "
                "ORDER BY last_at, ns, type LIMIT ?)");
  old.run(before, limit);
  return database_.changes();
}

void SqliteTransaction::set_rules(const RulesRecord& record) {
  Statement update(database_, "UPDATE store SET rules = ?");
  update.run(record_text(record));
  record_ = record;
  rules_changed_ = true;
}

bool SqliteTransaction::set_pause(const std::string& ns, const std::string& queue, bool paused) {
  const QueueState* known = queue_types_.find_queue(ns, queue);
  const bool is_paused = known != nullptr && known->paused;
  if (is_paused == paused) return false;
  queue_types_.pause(ns, queue, paused);
  return true;
}

}  // namespace longshore::sqlite
