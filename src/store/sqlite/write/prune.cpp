// What is forgotten, and when. An idempotency key outlives its job and goes on answering how it
// ended; it goes when its own time has come.
#include "core/rules/enqueue.h"
#include "store/sqlite/write/transaction.h"

namespace longshore::sqlite {

std::int64_t SqliteTransaction::prune(std::int64_t limit, Instant until, Instant keys_until) {
  flush();
  Statement rows(database_,
                 "SELECT id FROM done WHERE prune_after IS NOT NULL AND prune_after <= ? "
                 "ORDER BY prune_after, id LIMIT ?");
  rows.begin();
  rows.bind(until);
  rows.bind(limit);
  std::vector<JobId> ids;
  while (rows.step()) ids.push_back(rows.id<JobId>());
  for (const JobId& id : ids) remove(id, keys_until);
  return std::ssize(ids);
}

std::optional<Instant> SqliteTransaction::next_pruning() {
  Statement row(database_,
                "SELECT prune_after FROM done WHERE prune_after IS NOT NULL "
                "ORDER BY prune_after LIMIT 1");
  return row.step() ? std::optional(row.instant()) : std::nullopt;
}

void SqliteTransaction::remove(const JobId& id, Instant keys_until) {
  Entry* entry = find(id);
  if (entry == nullptr) return;
  keep_keys(entry->job(), keys_until);
  queue_types_.leave(*entry->queue_type, entry->job());
  writer_.remove(id);
  std::erase(touched_, entry);
  entry_bytes_ -= entry->bytes;
  drop_entry(id);
}

void SqliteTransaction::keep_keys(const Job& job, Instant until) {
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
  insert_gone_.run(job.id, static_cast<int>(status_of(job)), until);
}

std::optional<Instant> SqliteTransaction::next_forgetting() {
  RowGuard guard(next_gone_);
  next_gone_.begin();
  if (!next_gone_.step()) return std::nullopt;
  next_gone_.skip();
  return next_gone_.instant();
}

std::int64_t SqliteTransaction::forget_keys(std::int64_t limit, Instant until) {
  std::int64_t count = 0;
  for (auto due = next_forgetting(); due && *due <= until && count < limit;
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

}  // namespace longshore::sqlite
