#include "store/redis/heads.h"

#include <utility>

namespace longshore::redis {
namespace {

constexpr std::size_t newer_max = 8192;

}  // namespace

void Heads::put(Known&& known) {
  const JobId id = known.head.job.id;
  Map dropped;  // freed without the mutex
  MutexLock lock(mutex_);
  if (newer_.size() >= newer_max) {
    dropped = std::exchange(older_, std::exchange(newer_, {}));
  }
  newer_.insert_or_assign(id, std::move(known));
}

std::optional<Heads::Known> Heads::take(const JobId& id) {
  MutexLock lock(mutex_);
  for (Map* map : {&newer_, &older_}) {
    auto found = map->extract(id);
    if (!found.empty()) return std::move(found.mapped());
  }
  return std::nullopt;
}

std::size_t Heads::count(std::span<const JobId> ids) {
  MutexLock lock(mutex_);
  std::size_t known = 0;
  for (const JobId& id : ids) known += newer_.count(id) + older_.count(id);
  return known;
}

}  // namespace longshore::redis
