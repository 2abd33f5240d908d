#include "store/postgres/plan/cached_jobs.h"

#include <utility>

namespace longshore::postgres {
namespace {

constexpr std::size_t newer_max = 8192;

}  // namespace

void CachedJobs::put(Entries entries) {
  Entries dropped;  // freed without the mutex
  MutexLock lock(mutex_);
  if (newer_.size() >= newer_max) {
    dropped = std::exchange(older_, std::exchange(newer_, {}));
  }
  while (!entries.empty()) {
    auto put = newer_.insert(entries.extract(entries.begin()));
    if (put.inserted) continue;
    newer_.erase(put.position);
    newer_.insert(std::move(put.node));
  }
}

std::size_t CachedJobs::take(std::span<const JobId> ids, Entries& into) {
  const std::size_t before = into.size();
  MutexLock lock(mutex_);
  for (const JobId& id : ids) {
    for (Entries* known : {&newer_, &older_}) {
      auto node = known->extract(id);
      if (!node.empty()) into.insert(std::move(node));
    }
  }
  return into.size() - before;
}

}  // namespace longshore::postgres
