#include "store/redis/heads.h"

#include <utility>

namespace longshore::redis {
namespace {

constexpr std::size_t newer_max = 8192;

}  // namespace

void Heads::put(std::unique_ptr<Entry> entry) {
  Map dropped;  // freed without the mutex
  MutexLock lock(mutex_);
  if (newer_.size() >= newer_max) {
    dropped = std::exchange(older_, std::exchange(newer_, {}));
  }
  newer_[entry->job().id] = std::move(entry);
}

std::unique_ptr<Entry> Heads::take(const JobId& id) {
  MutexLock lock(mutex_);
  for (Map* map : {&newer_, &older_}) {
    const auto found = map->find(id);
    if (found == map->end()) continue;
    std::unique_ptr<Entry> entry = std::move(found->second);
    map->erase(found);
    return entry;
  }
  return nullptr;
}

std::size_t Heads::count(std::span<const JobId> ids) {
  MutexLock lock(mutex_);
  std::size_t known = 0;
  for (const JobId& id : ids) known += newer_.count(id) + older_.count(id);
  return known;
}

}  // namespace longshore::redis
