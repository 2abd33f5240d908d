#include "worker/concurrency_limits.h"

#include <algorithm>
#include <utility>

namespace longshore {

ConcurrencyLimits::ConcurrencyLimits(const std::vector<Limit>& queues,
                                     const std::vector<Limit>& types) {
  for (const Limit& queue : queues) {
    classes_.push_back({.name = queue.name, .is_queue = true, .most = queue.most});
  }
  for (const Limit& type : types) classes_.push_back({.name = type.name, .most = type.most});
}

ConcurrencyLimits::ClaimScopeRef ConcurrencyLimits::try_claim(const Reservation& finished) {
  MutexLock lock(mutex_);
  for (const std::size_t which : finished.held) classes_[which].busy -= 1;
  ClaimScopeRef scope = make_scope();
  // Capacity that this slot does not reserve again is free for another slot.
  for (const std::size_t which : finished.held) wake_for(which);
  return scope;
}

ConcurrencyLimits::ClaimScopeRef ConcurrencyLimits::wait_claim() {
  MutexLock lock(mutex_);
  ClaimScopeRef scope = make_scope();
  waiting_ += 1;
  while (!scope && !stopped_) {
    freed_.wait(mutex_);
    scope = make_scope();
  }
  waiting_ -= 1;
  return scope;
}

ConcurrencyLimits::Reservation ConcurrencyLimits::abandon(const ClaimScopeRef& scope) {
  MutexLock lock(mutex_);
  forget(scope);
  return {scope->held};
}

ConcurrencyLimits::Reservation ConcurrencyLimits::assign(const ClaimScopeRef& scope,
                                                         const std::string& queue,
                                                         const std::string& type) {
  MutexLock lock(mutex_);
  forget(scope);
  Reservation reservation;
  for (const std::size_t which : scope->held) {
    const Class& one = classes_[which];
    if (one.name == (one.is_queue ? queue : type)) {
      reservation.held.push_back(which);
    } else {
      free_one(which);
    }
  }
  return reservation;
}

void ConcurrencyLimits::release(const Reservation& reservation) {
  MutexLock lock(mutex_);
  for (const std::size_t which : reservation.held) free_one(which);
}

void ConcurrencyLimits::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  for (const ClaimScopeRef& scope : claiming_) scope->stop.request_stop();
  freed_.notify_all();
}

// ---- With the lock held -----------------------------------------------------------------------

ConcurrencyLimits::ClaimScopeRef ConcurrencyLimits::make_scope() {
  mutex_.assert_held();
  if (stopped_) return nullptr;
  auto scope = std::make_shared<ClaimScope>();
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const Class& one = classes_[i];
    if (one.most > 0 && one.busy >= one.most) continue;
    (one.is_queue ? scope->queues : scope->types).push_back(one.name);
    if (one.most > 0) scope->held.push_back(i);
  }
  if (scope->queues.empty() || scope->types.empty()) return nullptr;
  for (const std::size_t which : scope->held) classes_[which].busy += 1;
  claiming_.push_back(scope);
  return scope;
}

void ConcurrencyLimits::free_one(std::size_t which) {
  mutex_.assert_held();
  classes_[which].busy -= 1;
  wake_for(which);
}

// One more slot may claim jobs of this class: a slot that waits, else one whose claim excludes it.
void ConcurrencyLimits::wake_for(std::size_t which) {
  mutex_.assert_held();
  if (classes_[which].busy >= classes_[which].most) return;
  if (waiting_ > 0) return freed_.notify_one();
  for (const ClaimScopeRef& scope : claiming_) {
    if (std::ranges::find(scope->held, which) != scope->held.end()) continue;
    if (scope->stop.request_stop()) return;
  }
}

void ConcurrencyLimits::forget(const ClaimScopeRef& scope) {
  mutex_.assert_held();
  const auto found = std::ranges::find(claiming_, scope);
  if (found == claiming_.end()) return;
  std::iter_swap(found, claiming_.end() - 1);
  claiming_.pop_back();
}

}  // namespace longshore
