// New jobs whose id a job of another namespace has. A batch hopes that there is none, and is judged
// again if the registry knows better when it is about to be written.
#include <algorithm>
#include <utility>

#include "store/redis/id_registry.h"
#include "store/redis/transaction.h"

namespace longshore::redis {

// Nothing is known of a foreign job but whose it is.
void RedisTransaction::look_abroad() {
  IdRegistry registry(around_.channel, ns_);
  IdRegistry::Query query;
  for (const auto& [id, is_made] : brought_) {
    if (is_made || entries_.contains(id)) continue;
    query.find.push_back(id);
    if (looks_for_ids_at_home()) query.look_for.push_back(id);
  }
  auto held = registry.ask(query, now_);
  for (const JobId& id : registry.release_unused(held, now_)) held.erase(id);
  for (const auto& [id, holder] : held) {
    auto entry = std::make_unique<Entry>();
    entry->head.job.id = id;
    entry->head.job.ns = holder.ns;
    entry->foreign = true;
    entries_[id] = std::move(entry);
  }
}

bool RedisTransaction::looks_for_ids_at_home() const {
  return ns_ != unregistered_namespace && around_.copies.knows(unregistered_namespace);
}

// Also of ids that were made here, which others may bring later.
bool RedisTransaction::enter_ids() {
  const bool registers = ns_ != unregistered_namespace;
  const std::size_t itself = around_.copies.knows(ns_) ? 1 : 0;
  if (!registers && around_.copies.namespace_count() == itself) return true;
  IdRegistry::Query query;
  for (const auto& [id, is_made] : brought_) {
    const Entry* entry = known(id);
    if (entry == nullptr || !entry->dirty || entry->stored.exists) continue;
    if (registers) query.enter.push_back(id);
    if (is_made) continue;
    if (!registers) query.find.push_back(id);
    if (looks_for_ids_at_home()) query.look_for.push_back(id);
  }
  const auto held = IdRegistry(around_.channel, ns_).ask(query, now_);
  return std::ranges::none_of(held, [this](const auto& one) { return !brought_.at(one.first); });
}

}  // namespace longshore::redis
