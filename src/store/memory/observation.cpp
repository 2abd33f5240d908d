// Nodes and workers that were seen, rules that were configured, minutes that were counted.
#include <algorithm>
#include <ranges>

#include "store/memory/verbs.h"

namespace longshore::memory {
namespace {

// A node says seldom that it is there, but whoever commits is there too. To the second: no store
// writes it down more often for a commit that changes nothing.
std::optional<Instant> last_up(const MemoryDisk& disk) {
  if (disk.nodes.empty()) return std::nullopt;
  Instant last = disk.committed_at;
  for (const auto& [node, view] : disk.nodes) last = std::max(last, view.seen_at);
  return whole_second(last);
}

// Sorted, so that what is requeued together keeps the order of enqueueing.
std::vector<JobId> running_jobs(const MemoryDisk& disk) {
  const auto held = disk.claims | std::views::values;
  std::vector<JobId> ids(held.begin(), held.end());
  std::ranges::sort(ids);
  return ids;
}

bool takes_back(const Step& step, const StartNode& start, const Job& job) {
  switch (step.rules.recover_on_start) {
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

void see(Step& step, const NodeId& node, const std::string& name, bool starts) {
  const auto [entry, is_new] = step.disk.nodes.try_emplace(node);
  NodeView& view = entry->second;
  view.node = node;
  view.name = name;
  view.seen_at = step.now;
  if (starts || is_new) view.started_at = step.now;
}

}  // namespace

Verdict run(Step& step, const StartNode& start) {
  const std::optional<Instant> up = last_up(step.disk);
  Swept swept;
  for (const JobId& id : running_jobs(step.disk)) {
    const StoredJob* stored = find(step.disk, id);
    if (stored == nullptr) continue;
    if (takes_back(step, start, stored->record.job)) {
      swept.count += decide_and_apply(step, stored, RecoverEvent{}).changed;
    } else if (ended_unseen(stored->record.job, up, step.now)) {
      swept.count += decide_and_apply(step, stored, GraceEvent{}).changed;
    }
  }
  see(step, start.node, start.name, true);
  return swept;
}

Verdict run(Step& step, const SeeNode& node) {
  see(step, node.node, node.name, false);
  return Done{};
}

Verdict run(Step& step, const Configure& configure) {
  step.disk.queue_rules.clear();
  step.disk.type_rules.clear();
  for (const QueueRule& rule : configure.queues)
    step.disk.queue_rules[{rule.ns, rule.queue}] = rule;
  for (const TypeRule& rule : configure.types) step.disk.type_rules[{rule.ns, rule.type}] = rule;
  return Done{};
}

Verdict run(Step& step, const SeeWorkers& seen) {
  for (const WorkerInfo& info : seen.workers) {
    step.disk.workers[{info.ns, info.worker}] = {.info = info, .seen_at = step.now};
  }
  return Done{};
}

Verdict run(Step& step, const RecordMinutes& record) {
  for (const MinuteRow& row : record.rows) {
    step.disk.minutes[{row.minute, row.node, row.ns, row.queue, row.type}] = row;
  }
  return Done{};
}

}  // namespace longshore::memory
