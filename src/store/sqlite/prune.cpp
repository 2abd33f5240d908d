// What is forgotten, and when. An idempotency key outlives its job and goes on answering how it
// ended; it goes when its own time has come.
#include <algorithm>

#include "core/enqueue.h"
#include "store/sqlite/unit_of_work.h"
#include "store/sqlite/verbs.h"

namespace longshore::sqlite {
namespace {

constexpr Duration minutes_kept = Duration::days(8);
constexpr Duration workers_kept = Duration::days(1);

std::vector<JobId> prunable(UnitOfWork& work, std::int64_t limit) {
  work.flush();
  Statement rows(work.database(),
                 "SELECT id FROM done WHERE prune_after IS NOT NULL AND prune_after <= ? "
                 "ORDER BY prune_after, id LIMIT ?");
  rows.begin();
  rows.bind(work.now());
  rows.bind(limit);
  std::vector<JobId> ids;
  while (rows.step()) ids.push_back(rows.id<JobId>());
  return ids;
}

std::optional<Instant> next_pruning(UnitOfWork& work) {
  Statement row(work.database(),
                "SELECT prune_after FROM done WHERE prune_after IS NOT NULL "
                "ORDER BY prune_after LIMIT 1");
  return row.step() ? std::optional(row.instant()) : std::nullopt;
}

void forget_sightings(UnitOfWork& work) {
  Statement minutes(work.database(), "DELETE FROM minute WHERE minute < ?");
  minutes.run(work.now() - minutes_kept);
  Statement workers(work.database(), "DELETE FROM worker WHERE seen_at <= ?");
  workers.run(work.now() - workers_kept);
}

}  // namespace

void UnitOfWork::prune(const JobId& id) {
  Entry* entry = find(id);
  if (entry == nullptr) return;
  keep_keys(entry->job());
  lanes_.leave(*entry->lane, entry->job());
  writer_.remove(id);
  std::erase(touched_, entry);
  entry_bytes_ -= entry->bytes;
  drop_entry(id);
}

void UnitOfWork::keep_keys(const Job& job) {
  if (!job.idempotency_key.empty()) {
    const KeySpace space = keys_.space(job.ns, is_platform_type(job.type));
    const auto bound = keys_.find(space, job.idempotency_key);
    if (bound && bound->job == job.id) bind_extra_.run(job.id, space, job.idempotency_key);
  }
  extra_keys_.begin();
  extra_keys_.bind(job.id);
  extra_keys_.bind(1);
  const bool has_keys = extra_keys_.step();
  extra_keys_.release();
  if (!has_keys) return;
  insert_gone_.run(job.id, static_cast<int>(status_of(job.state)), now_ + rules_.key_outlives_job);
}

std::optional<Instant> UnitOfWork::next_forgetting() {
  RowGuard guard(next_gone_);
  next_gone_.begin();
  if (!next_gone_.step()) return std::nullopt;
  next_gone_.skip();
  return next_gone_.instant();
}

std::int64_t UnitOfWork::forget_keys(std::int64_t limit) {
  std::int64_t count = 0;
  for (auto due = next_forgetting(); due && *due <= now_ && count < limit;
       due = next_forgetting()) {
    next_gone_.begin();
    if (!next_gone_.step()) break;
    const JobId job = next_gone_.id<JobId>();
    next_gone_.release();
    std::vector<std::pair<KeySpace, std::string>> keys;
    extra_keys_.begin();
    extra_keys_.bind(job);
    extra_keys_.bind(limit - count + 1);
    while (extra_keys_.step()) {
      const KeySpace space = extra_keys_.integer();
      keys.emplace_back(space, extra_keys_.text());
    }
    extra_keys_.release();
    const bool all = std::ssize(keys) <= limit - count;
    if (!all) keys.pop_back();
    for (const auto& [space, key] : keys) {
      keys_.erase(space, key);
      delete_extra_.run(job, space, key);
    }
    if (all) delete_gone_.run(job);
    count += std::ssize(keys);
  }
  return count;
}

Verdict run(UnitOfWork& work, const Prune& prune) {
  const std::vector<JobId> ids = prunable(work, prune.limit);
  for (const JobId& id : ids) work.prune(id);
  const std::int64_t keys = work.forget_keys(prune.limit);
  forget_sightings(work);
  const auto job_next = next_pruning(work);
  const auto key_next = work.next_forgetting();
  Swept swept{.count = std::ssize(ids),
              .more = std::ssize(ids) >= prune.limit || keys >= prune.limit,
              .next = job_next ? job_next : key_next};
  if (job_next && key_next) swept.next = std::min(*job_next, *key_next);
  return swept;
}

}  // namespace longshore::sqlite
