// Nodes and workers that were seen, rules that were configured, minutes that were counted.
#include <optional>

#include "store/sqlite/verbs.h"

namespace longshore::sqlite {
namespace {

std::optional<Instant> last_seen(UnitOfWork& work) {
  Statement row(work.database(), "SELECT max(seen_at) FROM node");
  return row.step() ? row.optional_instant() : std::nullopt;
}

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

}  // namespace

Verdict run(UnitOfWork& work, const StartNode& start) {
  const std::optional<Instant> seen = last_seen(work);
  Swept swept;
  for (const JobId& id : work.leases().all()) {
    const Entry* entry = work.find(id);
    if (entry == nullptr || entry->job().state != State::running) continue;
    if (takes_back(work, start, entry->job())) {
      swept.count += judge(work, entry, RecoverEvent{}).changed;
    } else if (ended_unseen(entry->job(), seen, work.now())) {
      swept.count += judge(work, entry, GraceEvent{}).changed;
    }
  }
  Statement insert(work.database(), "REPLACE INTO node VALUES (?1, ?2, ?3, ?3)");
  insert.run(start.node, start.name, work.now());
  return swept;
}

Verdict run(UnitOfWork& work, const SeeNode& node) {
  Statement upsert(work.database(),
                   "INSERT INTO node VALUES (?1, ?2, ?3, ?3) "
                   "ON CONFLICT DO UPDATE SET name = ?2, seen_at = ?3");
  upsert.run(node.node, node.name, work.now());
  return Done{};
}

Verdict run(UnitOfWork& work, const Configure& configure) {
  work.lanes().configure(configure);
  return Done{};
}

Verdict run(UnitOfWork& work, const SeeWorkers& seen) {
  Statement replace(work.database(), "REPLACE INTO worker VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const WorkerInfo& info : seen.workers) {
    const std::string queues = list_text(info.queues);
    const std::string types = list_text(info.types);
    replace.run(info.ns, info.worker, info.node, queues, types, info.slots, info.host, info.version,
                work.now());
  }
  return Done{};
}

Verdict run(UnitOfWork& work, const RecordMinutes& record) {
  Statement replace(work.database(),
                    "REPLACE INTO minute VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const MinuteRow& row : record.rows) {
    replace.run(row.minute, row.node, row.ns, row.queue, row.type, row.enqueued, row.started,
                row.succeeded, row.failed, row.dead, row.canceled, row.wait_millis, row.run_millis);
  }
  return Done{};
}

}  // namespace longshore::sqlite
