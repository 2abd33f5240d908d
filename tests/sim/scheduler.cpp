#include "sim/scheduler.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"

namespace longshore::sim {

Scheduler::Scheduler(Random& random, Trace& trace, StackPool& pool, std::int64_t switches_most)
    : random_(random), trace_(trace), pool_(pool), switches_most_(switches_most) {}

Scheduler::~Scheduler() { kill_all(); }

void Scheduler::spawn(std::string name, Process process, Fiber::Body body) {
  auto runner = std::make_unique<Runner>();
  runner->name = std::move(name);
  runner->process = process;
  runner->wakes = now_;
  runner->fiber = std::make_unique<Fiber>(pool_, std::move(body));
  runners_.push_back(std::move(runner));
}

// ---- From within a fiber ----------------------------------------------------------------------

void Scheduler::step_aside() {
  LONGSHORE_ASSERT(current_ != nullptr, "only a fiber steps aside");
  current_->fiber->step_aside();
}

void Scheduler::pass() { let_pass(Duration()); }

void Scheduler::let_pass(Duration by) {
  current_->wakes = now_ + by;
  step_aside();
}

void Scheduler::wait(const Signal& signal, std::uint64_t& seen, Instant until) {
  if (signal.rings() == seen) {
    current_->waits_for = &signal;
    current_->wakes = std::max(until, now_);
    step_aside();
  }
  seen = signal.rings();
}

// ---- From anywhere ----------------------------------------------------------------------------

void Scheduler::ring(Signal& signal) {
  signal.rings_ += 1;
  for (const auto& runner : runners_) {
    if (runner->waits_for != &signal) continue;
    runner->waits_for = nullptr;
    runner->wakes = now_;
  }
}

void Scheduler::pause(Process process, Instant until) { paused_[process] = until; }
void Scheduler::resume_all() { paused_.clear(); }
void Scheduler::outside(std::function<void()> action) { deeds_.push_back(std::move(action)); }

// ---- From outside -----------------------------------------------------------------------------

void Scheduler::kill(Process process) {
  LONGSHORE_ASSERT(current_ == nullptr, "a fiber cannot unwind another one");
  for (const auto& runner : runners_) {
    if (runner->process == process) runner->fiber->kill();
  }
  std::erase_if(runners_, [&](const auto& runner) { return runner->process == process; });
  paused_.erase(process);
}

void Scheduler::kill_all() {
  for (const auto& runner : runners_) runner->fiber->kill();
  runners_.clear();
}

Instant Scheduler::paused_until(Process process) const {
  if (paused_.empty()) return {};
  const auto found = paused_.find(process);
  return found == paused_.end() ? Instant() : found->second;
}

Instant Scheduler::ready_at(const Runner& runner) const {
  return std::max(runner.wakes, paused_until(runner.process));
}

Scheduler::Runner* Scheduler::choose(Instant until) {
  ready_.clear();
  Instant next = Instant::never();
  for (const auto& runner : runners_) {
    const Instant at = ready_at(*runner);
    if (at > now_) {
      next = std::min(next, at);
    } else {
      ready_.push_back(runner.get());
    }
  }
  if (ready_.empty()) {
    now_ = std::min(next, until);
    return next > until ? nullptr : choose(until);
  }
  return ready_[random_.below(ready_.size())];
}

void Scheduler::run_deeds() {
  while (!deeds_.empty()) {
    const std::function<void()> action = std::move(deeds_.front());
    deeds_.pop_front();
    action();
  }
}

bool Scheduler::run_until(Instant until) {
  while (switches_ < switches_most_) {
    run_deeds();
    Runner* runner = choose(until);
    if (runner == nullptr) return true;
    switches_ += 1;
    trace_.note(now_, runner->name, "runs");
    current_ = runner;
    runner->waits_for = nullptr;
    runner->fiber->resume();
    current_ = nullptr;
    if (runner->fiber->done()) {
      std::erase_if(runners_, [&](const auto& one) { return one.get() == runner; });
    }
  }
  return false;
}

}  // namespace longshore::sim
