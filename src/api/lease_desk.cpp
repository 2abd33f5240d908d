#include "api/lease_desk.h"

namespace longshore {
namespace {

constexpr Duration tell_every = Duration::seconds(5);
constexpr std::size_t workers_remembered = 20'000;

}  // namespace

bool LeaseDesk::worth_telling(WorkerInfo& info, bool introduced, Instant now) {
  MutexLock lock(mutex_);
  // Forgetting costs one more telling for each, no more.
  if (seen_.size() >= workers_remembered) seen_.clear();
  const auto [place, is_new] = seen_.try_emplace({info.ns, info.worker});
  Seen& seen = place->second;
  if (!introduced && !is_new) {
    info.slots = seen.info.slots;
    info.host = seen.info.host;
    info.version = seen.info.version;
  }
  if (!is_new && seen.info == info && now < seen.told + tell_every) return false;
  seen = {.info = info, .told = now};
  return true;
}

std::shared_ptr<Lending> LeaseDesk::take_over(const RequestId& id,
                                              const std::shared_ptr<Lending>& lending) {
  MutexLock lock(mutex_);
  return std::exchange(lendings_[id], lending).lock();
}

void LeaseDesk::forget(const RequestId& id, const Lending* lending) {
  std::shared_ptr<Lending> current;  // let go of after the lock
  MutexLock lock(mutex_);
  const auto found = lendings_.find(id);
  if (found == lendings_.end()) return;
  current = found->second.lock();
  if (!current || current.get() == lending) lendings_.erase(found);
}

}  // namespace longshore
