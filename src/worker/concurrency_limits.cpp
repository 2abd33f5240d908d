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

ConcurrencyLimits::AskRef ConcurrencyLimits::try_ask(const Place& leaving) {
  MutexLock lock(mutex_);
  for (const std::size_t which : leaving.held) classes_[which].busy -= 1;
  AskRef ask = make_ask();
  // What this slot does not take up again is somebody else's chance.
  for (const std::size_t which : leaving.held) wake_for(which);
  return ask;
}

ConcurrencyLimits::AskRef ConcurrencyLimits::wait_ask() {
  MutexLock lock(mutex_);
  AskRef ask = make_ask();
  waiting_ += 1;
  while (!ask && !stopped_) {
    freed_.wait(mutex_);
    ask = make_ask();
  }
  waiting_ -= 1;
  return ask;
}

ConcurrencyLimits::Place ConcurrencyLimits::give_up(const AskRef& ask) {
  MutexLock lock(mutex_);
  forget(ask);
  return {ask->held};
}

ConcurrencyLimits::Place ConcurrencyLimits::take(const AskRef& ask, const std::string& queue,
                                                 const std::string& type) {
  MutexLock lock(mutex_);
  forget(ask);
  Place place;
  for (const std::size_t which : ask->held) {
    const Class& one = classes_[which];
    if (one.name == (one.is_queue ? queue : type)) {
      place.held.push_back(which);
    } else {
      free(which);
    }
  }
  return place;
}

void ConcurrencyLimits::leave(const Place& place) {
  MutexLock lock(mutex_);
  for (const std::size_t which : place.held) free(which);
}

void ConcurrencyLimits::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  for (const AskRef& ask : asking_) ask->stop.request_stop();
  freed_.notify_all();
}

// ---- With the lock held -----------------------------------------------------------------------

ConcurrencyLimits::AskRef ConcurrencyLimits::make_ask() {
  mutex_.assert_held();
  if (stopped_) return nullptr;
  auto ask = std::make_shared<Ask>();
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const Class& one = classes_[i];
    if (one.most > 0 && one.busy >= one.most) continue;
    (one.is_queue ? ask->queues : ask->types).push_back(one.name);
    if (one.most > 0) ask->held.push_back(i);
  }
  if (ask->queues.empty() || ask->types.empty()) return nullptr;
  for (const std::size_t which : ask->held) classes_[which].busy += 1;
  asking_.push_back(ask);
  return ask;
}

void ConcurrencyLimits::free(std::size_t which) {
  mutex_.assert_held();
  classes_[which].busy -= 1;
  wake_for(which);
}

// One slot more may ask for this class: one that could ask for nothing, else one whose question
// leaves it out.
void ConcurrencyLimits::wake_for(std::size_t which) {
  mutex_.assert_held();
  if (classes_[which].busy >= classes_[which].most) return;
  if (waiting_ > 0) return freed_.notify_one();
  for (const AskRef& ask : asking_) {
    if (std::ranges::find(ask->held, which) != ask->held.end()) continue;
    if (ask->stop.request_stop()) return;
  }
}

void ConcurrencyLimits::forget(const AskRef& ask) {
  mutex_.assert_held();
  const auto found = std::ranges::find(asking_, ask);
  if (found == asking_.end()) return;
  std::iter_swap(found, asking_.end() - 1);
  asking_.pop_back();
}

}  // namespace longshore
