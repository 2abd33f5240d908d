#include "api/jobs/waits.h"

#include <algorithm>
#include <memory>

namespace longshore {
namespace {

constexpr Duration look_every = Duration::seconds(1);
constexpr std::size_t ids_per_look = 1000;
constexpr std::size_t woken_at_once = 16;

}  // namespace

Waits::Waits(Timers& timers, ReadPool& read_pool, bool shared)
    : timers_(timers), read_pool_(read_pool), shared_(shared) {}

Waits::~Waits() { wake_all(); }

Waits::Ticket Waits::add(const std::string& ns, const JobId& job, std::int64_t version,
                         Instant until, Wake wake) {
  Ticket ticket = 0;
  bool look = false;
  {
    MutexLock lock(mutex_);
    ticket = next_++;
    if (!stopped_) {
      Waiter waiter{.ns = ns, .job = job, .version = version, .wake = std::move(wake)};
      waiter.timer = timers_.at(until, [this, ticket] { wake_one(ticket); });
      waiters_.emplace(ticket, std::move(waiter));
      by_job_[job].insert(ticket);
      look = shared_ && !looking_;
      looking_ = looking_ || look;
    }
  }
  if (look) look_again_later();
  if (wake) wake();  // stopped
  return ticket;
}

bool Waits::remove(Ticket ticket) {
  Wake unwanted;
  MutexLock lock(mutex_);
  const auto found = waiters_.find(ticket);
  if (found == waiters_.end()) return false;
  unwanted = take(found);
  return true;
}

void Waits::on_commit(const Committed& committed) {
  Wakes wakes;
  {
    MutexLock lock(mutex_);
    if (waiters_.empty()) return;
    for (const JobEvent& one : committed.events) {
      if (!is_terminal(one.transition.to)) continue;
      for (auto at = by_job_.find(one.job); at != by_job_.end(); at = by_job_.find(one.job)) {
        wakes.push_back(take(waiters_.find(*at->second.begin())));
      }
    }
  }
  wake_these(std::move(wakes));
}

void Waits::wake_these(Wakes wakes) {
  const auto run_all = [](Wakes& some) {
    for (Wake& wake : some) wake();
  };
  if (wakes.size() <= woken_at_once) return run_all(wakes);
  const auto many = std::make_shared<Wakes>(std::move(wakes));
  ReadPool::Read later = [many, run_all](Catalog&) { run_all(*many); };
  if (!read_pool_.push(ReadKind::point, later)) run_all(*many);
}

void Waits::wake_all() {
  Wakes wakes;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    while (!waiters_.empty()) wakes.push_back(take(waiters_.begin()));
  }
  for (Wake& wake : wakes) wake();
}

std::size_t Waits::waiting() const {
  MutexLock lock(mutex_);
  return waiters_.size();
}

void Waits::wake_one(Ticket ticket) {
  Wake wake;
  {
    MutexLock lock(mutex_);
    const auto found = waiters_.find(ticket);
    if (found == waiters_.end()) return;
    wake = take(found);
  }
  wake();
}

Waits::Wake Waits::take(std::map<Ticket, Waiter>::iterator waiter) {
  mutex_.assert_held();
  const auto of_job = by_job_.find(waiter->second.job);
  if (of_job != by_job_.end()) {
    of_job->second.erase(waiter->first);
    if (of_job->second.empty()) by_job_.erase(of_job);
  }
  timers_.cancel(waiter->second.timer);
  Wake wake = std::move(waiter->second.wake);
  waiters_.erase(waiter);
  return wake;
}

// ---- Changes that other nodes make ------------------------------------------------------------

void Waits::look_again_later() {
  timers_.at(timers_.now() + look_every, [this] {
    ReadPool::Read look = [this](Catalog& catalog) { look_again(catalog); };
    // If the pool is full, try again at the next check.
    if (!read_pool_.push(ReadKind::point, look)) look_again_later();
  });
}

void Waits::look_again(Catalog& catalog) {
  for (const auto& [ns, asked] : watched()) {
    for (std::size_t i = 0; i < asked.size(); i += ids_per_look) {
      const std::vector<std::pair<Ticket, JobId>> some(
          asked.begin() + static_cast<std::ptrdiff_t>(i),
          asked.begin() + static_cast<std::ptrdiff_t>(std::min(i + ids_per_look, asked.size())));
      std::vector<JobId> ids;
      for (const auto& [ticket, id] : some) ids.push_back(id);
      const Result<std::vector<std::int64_t>> versions = catalog.versions(ns, ids);
      if (!versions) continue;
      for (Wake& wake : take_changed(some, *versions)) wake();
    }
  }
  {
    MutexLock lock(mutex_);
    looking_ = !waiters_.empty();
    if (!looking_) return;
  }
  look_again_later();
}

std::map<std::string, std::vector<std::pair<Waits::Ticket, JobId>>> Waits::watched() const {
  MutexLock lock(mutex_);
  std::map<std::string, std::vector<std::pair<Ticket, JobId>>> watched;
  for (const auto& [ticket, waiter] : waiters_) watched[waiter.ns].emplace_back(ticket, waiter.job);
  return watched;
}

Waits::Wakes Waits::take_changed(const std::vector<std::pair<Ticket, JobId>>& asked,
                                 const std::vector<std::int64_t>& versions) {
  MutexLock lock(mutex_);
  Wakes wakes;
  for (std::size_t i = 0; i < asked.size() && i < versions.size(); ++i) {
    const auto found = waiters_.find(asked[i].first);
    if (found == waiters_.end() || found->second.version == versions[i]) continue;
    wakes.push_back(take(found));
  }
  return wakes;
}

}  // namespace longshore
