// Nodes and workers that were seen, rules that were configured, minutes that were counted.
#include <optional>
#include <variant>

#include "store/execute/apply_decision.h"
#include "store/execute/verbs.h"

namespace longshore::execute {
namespace {

bool takes_back(const Transaction& tx, const StartNode& start, const Job& job) {
  switch (tx.rules().recover_on_start) {
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
bool ended_unseen(const Job& job, std::optional<Instant> up, Instant now) {
  return up && job.lease_expires_at && *job.lease_expires_at > *up && *job.lease_expires_at <= now;
}

}  // namespace

Verdict run(Transaction& tx, const StartNode& start) {
  std::optional<Instant> up = tx.last_up();
  if (up) up = whole_second(*up);
  const std::vector<JobId> ids = tx.left_behind(start.node, up);
  tx.load(ids);
  Swept swept;
  for (const JobId& id : ids) {
    const Entry* entry = tx.find(id);
    if (entry == nullptr || entry->job().state != State::running) continue;
    if (takes_back(tx, start, entry->job())) {
      swept.count += decide_and_apply(tx, entry, RecoverEvent{}).changed;
    } else if (ended_unseen(entry->job(), up, tx.now())) {
      swept.count += decide_and_apply(tx, entry, GraceEvent{}).changed;
    }
  }
  tx.start_node(start.node, start.name);
  return swept;
}

Verdict run(Transaction& tx, const SeeNode& node) {
  tx.see_node(node.node, node.name);
  return Done{};
}

Verdict run(Transaction& tx, const Configure& configure) {
  tx.configure(configure);
  return Done{};
}

Verdict run(Transaction& tx, const SeeWorkers& seen) {
  tx.see_workers(seen.workers);
  return Done{};
}

Verdict run(Transaction& tx, const RecordMinutes& record) {
  tx.record_minutes(record.rows);
  return Done{};
}

Verdict run_command(Transaction& tx, const Command& command) {
  return std::visit([&](const auto& said) { return run(tx, said); }, command);
}

}  // namespace longshore::execute
