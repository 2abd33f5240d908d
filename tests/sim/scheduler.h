// Runs fibers one at a time in virtual time. The seed decides which runs next; time advances only
// while all of them wait.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ids/random.h"
#include "longshore/time.h"
#include "sim/fiber.h"
#include "sim/trace.h"

namespace longshore::sim {

// Fibers wait for a signal. It counts its rings, so that none is missed.
class Signal {
 public:
  std::uint64_t rings() const { return rings_; }

 private:
  friend class Scheduler;
  std::uint64_t rings_ = 0;
};

// The fibers of one process pause and crash together.
using Process = int;

// Time starts at 0. Those marked (fiber) are called from within a fiber, those marked (outside)
// from anywhere else, the rest from both.
class Scheduler {
 public:
  // The three must outlive it. Runs no more than `switches_most` switches in all.
  Scheduler(Random& random, Trace& trace, StackPool& pool, std::int64_t switches_most);
  ~Scheduler();

  void spawn(std::string name, Process process, Fiber::Body body);

  Instant now() const { return now_; }
  std::int64_t switches() const { return switches_; }

  void pass();                                                          // (fiber) yields
  void let_pass(Duration by);                                           // (fiber)
  void wait(const Signal& signal, std::uint64_t& seen, Instant until);  // (fiber)
  void ring(Signal& signal);

  // Nothing of this process runs before then.
  void pause(Process process, Instant until);
  void resume_all();
  // `action` runs between two fibers.
  void outside(std::function<void()> action);
  // (outside) Unwinds every fiber of the process.
  void kill(Process process);
  void kill_all();

  // (outside) False if the switches ran out first: some fiber loops.
  bool run_until(Instant until);

 private:
  struct Runner {
    std::string name;
    Process process = 0;
    Instant wakes;
    const Signal* waits_for = nullptr;
    std::unique_ptr<Fiber> fiber;
  };

  Instant paused_until(Process process) const;
  Instant ready_at(const Runner& runner) const;
  Runner* choose(Instant until);
  void run_deeds();
  void step_aside();

  Random& random_;
  Trace& trace_;
  StackPool& pool_;
  const std::int64_t switches_most_;
  Instant now_;
  std::int64_t switches_ = 0;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<Runner*> ready_;  // scratch of choose()
  std::map<Process, Instant> paused_;
  std::deque<std::function<void()>> deeds_;
  Runner* current_ = nullptr;
};

}  // namespace longshore::sim
