// What is forgotten, and when.
#include <algorithm>

#include "store/memory/verbs.h"

namespace longshore::memory {
namespace {

constexpr Duration minutes_kept = Duration::days(8);
constexpr Duration workers_kept = Duration::days(1);
constexpr Duration trail_kept = Duration::days(90);
constexpr Duration groups_kept = Duration::days(90);
// Of entries and of groups; the limit of a Prune is for jobs and keys.
constexpr std::int64_t forgotten_at_once = 1000;

// An idempotency key outlives its job, and goes on answering how it ended.
void keep_keys(Step& step, const Job& job) {
  const Instant gone_after = step.now + step.rules.key_outlives_job;
  for (auto it = step.disk.keys_of_job.lower_bound({job.id, {}});
       it != step.disk.keys_of_job.end() && it->first == job.id; ++it) {
    MemoryDisk::BoundKey& bound = step.disk.idempotency_keys[it->second];
    bound.view.last_status = status_of(job);
    bound.gone_after = gone_after;
    step.disk.keys_to_forget.insert({gone_after, job.id, it->second});
  }
}

std::int64_t prune_jobs(Step& step, std::int64_t limit) {
  std::int64_t count = 0;
  auto& prunable = step.disk.prunable;
  while (count < limit && !prunable.empty() && prunable.begin()->at <= step.prune_by) {
    const JobId id = prunable.begin()->job;
    const StoredJob* stored = find(step.disk, id);
    if (stored == nullptr) {
      prunable.erase(prunable.begin());
      continue;
    }
    keep_keys(step, stored->record.job);
    remove(step.disk, id, step.rules);
    ++count;
  }
  return count;
}

std::int64_t forget_keys(Step& step, std::int64_t limit) {
  std::int64_t count = 0;
  const auto& keys = step.disk.keys_to_forget;
  while (count < limit && !keys.empty() && keys.begin()->at <= step.prune_by) {
    const MemoryDisk::IdempotencyKey key = keys.begin()->key;
    forget_key(step.disk, key);
    ++count;
  }
  return count;
}

void forget_sightings(Step& step) {
  const Instant oldest_minute = step.prune_by - minutes_kept;
  std::erase_if(step.disk.minutes,
                [&](const auto& row) { return row.second.minute < oldest_minute; });
  const Instant seen_last = step.prune_by - workers_kept;
  std::erase_if(step.disk.workers,
                [&](const auto& worker) { return worker.second.seen_at <= seen_last; });
}

// Entries stand in the order of their times.
std::int64_t forget_trail(Step& step, std::int64_t limit) {
  auto& trail = step.disk.audit_trail;
  const Instant before = step.prune_by - trail_kept;
  std::int64_t count = 0;
  while (count < limit && count < std::ssize(trail) &&
         trail[static_cast<std::size_t>(count)].at < before) {
    ++count;
  }
  trail.erase(trail.begin(), trail.begin() + count);
  return count;
}

std::int64_t forget_groups(Step& step, std::int64_t limit) {
  const Instant before = step.prune_by - groups_kept;
  std::vector<std::pair<Instant, MemoryDisk::GroupKey>> old;
  for (const auto& [key, group] : step.disk.error_groups) {
    if (group.last_at < before) old.emplace_back(group.last_at, key);
  }
  std::ranges::sort(old);
  if (std::ssize(old) > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [at, key] : old) step.disk.error_groups.erase(key);
  return std::ssize(old);
}

std::optional<Instant> next_to_go(const MemoryDisk& disk) {
  Instant next = Instant::never();
  if (!disk.prunable.empty()) next = std::min(next, disk.prunable.begin()->at);
  if (!disk.keys_to_forget.empty()) next = std::min(next, disk.keys_to_forget.begin()->at);
  return next == Instant::never() ? std::nullopt : std::optional(next);
}

}  // namespace

Verdict run(Step& step, const Prune& prune) {
  const std::int64_t jobs = prune_jobs(step, prune.limit);
  const std::int64_t keys = forget_keys(step, prune.limit);
  forget_sightings(step);
  const std::int64_t entries = forget_trail(step, forgotten_at_once);
  const std::int64_t groups = forget_groups(step, forgotten_at_once);
  Swept swept{.count = jobs,
              .more = std::max(jobs, keys) >= prune.limit ||
                      std::max(entries, groups) >= forgotten_at_once};
  if (step.prune_by == step.now) swept.next = next_to_go(step.disk);
  return swept;
}

}  // namespace longshore::memory
