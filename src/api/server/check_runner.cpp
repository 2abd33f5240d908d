#include "api/server/check_runner.h"

#include <utility>

namespace longshore {
namespace {

Error stopping() {
  return {Errc::unavailable, "This node is stopping; the check was ended. Retry on another node"};
}

}  // namespace

CheckRunner::CheckRunner(Catalog& catalog, Timekeeper& time)
    : catalog_(catalog), time_(time), thread_([this] { check_until_stopped(); }) {}

CheckRunner::~CheckRunner() { stop(); }

CheckRunner::Ticket CheckRunner::join(Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) {
      waiting_.emplace(next_, std::move(done));
      wanted_ = wanted_ || !under_way_;
      changed_.notify_one();
      return next_++;
    }
  }
  done({.outcome = stopping()});
  return 0;
}

void CheckRunner::leave(Ticket ticket) {
  Done unwanted;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return;
  unwanted = std::move(found->second);
  waiting_.erase(found);
}

std::optional<CheckUnderWay> CheckRunner::under_way() const {
  const std::lock_guard lock(mutex_);
  return under_way_;
}

std::shared_ptr<const CheckReport> CheckRunner::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void CheckRunner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  notify({.outcome = stopping()});
}

bool CheckRunner::note(const AuditProgress& progress) {
  const std::lock_guard lock(mutex_);
  if (under_way_) under_way_->progress = progress;
  return !stopped_;
}

void CheckRunner::notify(const CheckReport& report) {
  std::map<Ticket, Done> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
  }
  for (auto& [ticket, done] : waiting) done(report);
}

void CheckRunner::check_until_stopped() {
  while (true) {
    CheckReport report;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return wanted_ || stopped_; });
      if (stopped_) return;
      wanted_ = false;
      report.began = time_.now();
      under_way_.emplace();
      under_way_->began = report.began;
    }
    report.outcome =
        catalog_.audit([this](const AuditProgress& progress) { return note(progress); });
    report.ended = time_.now();
    {
      const std::lock_guard lock(mutex_);
      under_way_.reset();
      if (report.outcome) last_ = std::make_shared<const CheckReport>(report);
    }
    notify(report);
  }
}

}  // namespace longshore
