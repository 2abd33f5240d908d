#include "api/wire/timers.h"

namespace longshore {

Timers::Timers(Timekeeper& time)
    : time_(time), alarm_(time), thread_([this] { act_until_stopped(); }) {}

Timers::~Timers() { stop(); }

Timers::Ticket Timers::at(Instant when, Act act) {
  Ticket ticket = 0;
  bool first = false;
  {
    MutexLock lock(mutex_);
    if (stopped_) return 0;
    ticket = next_++;
    const auto place = acts_.emplace(std::pair(when, ticket), std::move(act)).first;
    times_.emplace(ticket, when);
    first = place == acts_.begin();
  }
  if (first) alarm_.wake();
  return ticket;
}

bool Timers::cancel(Ticket ticket) {
  Act unwanted;  // destroyed without the lock
  MutexLock lock(mutex_);
  const auto found = times_.find(ticket);
  if (found == times_.end()) return false;
  const auto place = acts_.find({found->second, ticket});
  unwanted = std::move(place->second);
  acts_.erase(place);
  times_.erase(found);
  return true;
}

void Timers::stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
  }
  alarm_.wake_forever();
  if (thread_.joinable()) thread_.join();
}

std::vector<Timers::Act> Timers::take_due(Instant now, Instant& next) {
  MutexLock lock(mutex_);
  std::vector<Act> due;
  while (!acts_.empty() && !stopped_ && acts_.begin()->first.first <= now) {
    due.push_back(std::move(acts_.begin()->second));
    times_.erase(acts_.begin()->first.second);
    acts_.erase(acts_.begin());
  }
  next = acts_.empty() ? Instant::never() : acts_.begin()->first.first;
  return due;
}

void Timers::act_until_stopped() {
  while (true) {
    Instant next;
    std::vector<Act> due = take_due(time_.now(), next);
    for (Act& act : due) act();
    {
      MutexLock lock(mutex_);
      if (stopped_) return;
    }
    if (due.empty()) alarm_.wait_until(next);
  }
}

}  // namespace longshore
