// Nodes and workers that were seen, rules that were configured, minutes that were counted.
#include <optional>
#include <variant>

#include "store/judge/carry_out.h"
#include "store/judge/verbs.h"

namespace longshore::judge {
namespace {

bool takes_back(const Unit& unit, const StartNode& start, const Job& job) {
  switch (unit.rules().recover_on_start) {
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

Verdict run(Unit& unit, const StartNode& start) {
  std::optional<Instant> up = unit.last_up();
  if (up) up = whole_second(*up);
  const std::vector<JobId> ids = unit.left_behind(start.node, up);
  unit.load(ids);
  Swept swept;
  for (const JobId& id : ids) {
    const Entry* entry = unit.find(id);
    if (entry == nullptr || entry->job().state != State::running) continue;
    if (takes_back(unit, start, entry->job())) {
      swept.count += judge(unit, entry, RecoverEvent{}).changed;
    } else if (ended_unseen(entry->job(), up, unit.now())) {
      swept.count += judge(unit, entry, GraceEvent{}).changed;
    }
  }
  unit.start_node(start.node, start.name);
  return swept;
}

Verdict run(Unit& unit, const SeeNode& node) {
  unit.see_node(node.node, node.name);
  return Done{};
}

Verdict run(Unit& unit, const Configure& configure) {
  unit.configure(configure);
  return Done{};
}

Verdict run(Unit& unit, const SeeWorkers& seen) {
  unit.see_workers(seen.workers);
  return Done{};
}

Verdict run(Unit& unit, const RecordMinutes& record) {
  unit.record_minutes(record.rows);
  return Done{};
}

Verdict run_command(Unit& unit, const Command& command) {
  return std::visit([&](const auto& said) { return run(unit, said); }, command);
}

}  // namespace longshore::judge
