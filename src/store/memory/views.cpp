// The catalog's views of everything that is not a job.
#include <algorithm>
#include <ranges>

#include "core/record/error_group.h"
#include "store/memory/catalog.h"
#include "store/memory/tables.h"

namespace longshore::memory {
namespace {

template <class Table>
void add_names(const Table& table, const std::string& ns, std::set<std::string>& names) {
  for (const auto& [scoped, value] : table) {
    if (scoped.ns == ns) names.insert(scoped.name);
  }
}

// A queue exists while it has jobs, a rule or a pause.
std::set<std::string> queue_names(const MemoryDisk& disk, const std::string& ns) {
  std::set<std::string> names;
  add_names(disk.counts, ns, names);
  add_names(disk.queue_rules, ns, names);
  for (const auto& scoped : disk.pauses) {
    if (scoped.ns == ns) names.insert(scoped.name);
  }
  return names;
}

std::map<State, std::int64_t> depth_of(const MemoryDisk& disk, const MemoryDisk::Scoped& queue) {
  std::map<State, std::int64_t> depth;
  const auto counts = disk.counts.find(queue);
  if (counts == disk.counts.end()) return depth;
  for (std::size_t i = 0; i < counts->second.size(); ++i) {
    if (counts->second[i] != 0) depth[static_cast<State>(i)] = counts->second[i];
  }
  return depth;
}

// Nothing touches a job while it is queued, so its last update is when it became eligible.
std::optional<Instant> head_since(MemoryDisk& disk, const MemoryDisk::Scoped& queue) {
  const auto ready = disk.ready.find(queue);
  if (ready == disk.ready.end() || ready->second.empty()) return std::nullopt;
  const StoredJob* head = find(disk, ready->second.begin()->job);
  return head == nullptr ? std::nullopt : std::optional(head->record.job.updated_at);
}

std::vector<JobId> jobs_of_worker(MemoryDisk& disk, const MemoryDisk::Scoped& worker) {
  std::vector<JobId> ids;
  for (const auto& [claim, id] : disk.claims) {
    const StoredJob* stored = find(disk, worker.ns, id);
    if (stored != nullptr && stored->record.job.worker == worker.name) ids.push_back(id);
  }
  std::ranges::sort(ids);
  return ids;
}

}  // namespace

std::vector<QueueView> queues(MemoryDisk& disk, const std::string& ns, const std::string& from,
                              int limit) {
  std::vector<QueueView> views;
  const std::set<std::string> names = queue_names(disk, ns);
  for (auto at = names.lower_bound(from); at != names.end() && std::ssize(views) < limit; ++at) {
    const std::string& name = *at;
    const MemoryDisk::Scoped queue{ns, name};
    const auto rule = disk.queue_rules.find(queue);
    views.push_back({.ns = ns,
                     .queue = name,
                     .depth = depth_of(disk, queue),
                     .oldest_queued = head_since(disk, queue),
                     .paused = disk.pauses.contains(queue)});
    if (rule != disk.queue_rules.end()) views.back().max_running = rule->second.max_running;
  }
  return views;
}

std::vector<WorkerView> workers(MemoryDisk& disk, const std::string& ns) {
  std::vector<WorkerView> views;
  for (const auto& [scoped, worker] : disk.workers) {
    if (scoped.ns != ns) continue;
    views.push_back(
        {.info = worker.info, .seen_at = worker.seen_at, .jobs = jobs_of_worker(disk, scoped)});
  }
  return views;
}

std::vector<NodeView> nodes(const MemoryDisk& disk) {
  const auto views = disk.nodes | std::views::values;
  return {views.begin(), views.end()};
}

std::vector<MinuteRow> minutes(const MemoryDisk& disk, const std::string& ns, Instant since) {
  std::vector<MinuteRow> rows;
  for (const auto& [key, row] : disk.minutes) {
    if (row.ns == ns && row.minute >= since) rows.push_back(row);
  }
  return rows;
}

std::vector<ErrorGroup> error_groups(const MemoryDisk& disk, const std::string& ns) {
  std::vector<ErrorGroup> groups;
  for (const auto& [key, group] : disk.error_groups) {
    if (group.ns == ns) groups.push_back(group);
  }
  return groups;
}

std::vector<GroupJobs> jobs_of_groups(const MemoryDisk& disk, std::span<const ErrorGroup> groups,
                                      int most) {
  std::map<MemoryDisk::GroupKey, std::size_t> places;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    places[{groups[i].ns, groups[i].type, groups[i].fingerprint}] = i;
  }
  std::vector<GroupJobs> answer(groups.size());
  std::vector<int> counted(groups.size());
  for (const auto& [id, stored] : disk.jobs | std::views::reverse) {
    if (stored.record.errors.empty()) continue;
    const Job& job = stored.record.job;
    const JobError& error = stored.record.errors.back().error;
    const auto place =
        places.find({job.ns, job.type, error_fingerprint(job.type, error.code, error.message)});
    if (place == places.end()) continue;
    if (stored.record.errors.back().at < groups[place->second].first_at) continue;
    if (counted[place->second]++ < most) {
      count_job(answer[place->second], job);
    } else {
      answer[place->second].more = true;
    }
  }
  return answer;
}

std::vector<AuditEntry> audit_trail(const MemoryDisk& disk, const std::string& ns, int limit,
                                    std::optional<std::int64_t> before) {
  std::vector<AuditEntry> newest_first;
  for (const AuditEntry& entry : disk.audit_trail | std::views::reverse) {
    if (std::ssize(newest_first) >= limit) break;
    if (entry.ns != ns || (before && entry.number >= *before)) continue;
    newest_first.push_back(entry);
  }
  return newest_first;
}

std::vector<TokenRecord> tokens(const MemoryDisk& disk) {
  const auto records = disk.tokens | std::views::values;
  return {records.begin(), records.end()};
}

Configure configuration(const MemoryDisk& disk) {
  const auto queues = disk.queue_rules | std::views::values;
  const auto types = disk.type_rules | std::views::values;
  return {.queues = {queues.begin(), queues.end()}, .types = {types.begin(), types.end()}};
}

}  // namespace longshore::memory
