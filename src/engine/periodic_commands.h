// The commands that a node sends periodically: promoting, reaping, sweeping, pruning, and its own
// heartbeat. They go through the same group commit as all others; if the store answers that there
// is more to do, a command is sent again at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "engine/commit_queue.h"
#include "longshore/rules.h"

namespace longshore {

// How often a command is sent: a constant, or a function that reads the current rules.
class Interval {
 public:
  Interval(Duration every = {}) : ask_([every] { return every; }) {}  // NOLINT: implicit
  Interval(std::function<Duration()> ask) : ask_(std::move(ask)) {}   // NOLINT: implicit
  Duration operator()() const { return ask_(); }

 private:
  std::function<Duration()> ask_;
};

// Returns the current rules; from any thread.
using RulesNow = std::function<std::shared_ptr<const Rules>()>;

// Sends the command that `make` returns at an interval, and sooner if the answer asks for it.
struct PeriodicCommand {
  std::string name;
  Interval every;
  std::function<std::optional<Command>(Instant now)> make;  // none: nothing to send this time
  std::function<void(const Answered&)> tell = {};           // called with each answer, if set
  // Transitions after which the next due time of the store may be earlier.
  std::function<bool(const Transition&)> hurried_by = {};
};

// Safe to share between threads; one thread ticks.
class PeriodicCommands {
 public:
  // Wakes `ticker` when the next tick should come earlier than tick() returned.
  PeriodicCommands(CommitQueue& queue, Waker& ticker);

  void add(PeriodicCommand command);

  // Sends due commands and returns when to be called next.
  Instant tick(Instant now);

  void on_commit(const Committed& committed);

 private:
  struct Line {
    PeriodicCommand command;
    Instant next;
    Instant sent;
    bool in_flight = false;  // sent and not yet answered
  };

  void answered(std::size_t which, const Result<Answered>& answer);

  CommitQueue& queue_;
  Waker& ticker_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::vector<Line> lines_ LONGSHORE_GUARDED_BY(mutex_);
  Instant now_ LONGSHORE_GUARDED_BY(mutex_);
};

// The commands that every node sends. Without `recovery` they do not reap lost leases, but attempts
// still time out at their deadline.
std::vector<PeriodicCommand> maintenance_commands(const RulesNow& rules, NodeId node,
                                                  const std::string& name, bool recovery);

}  // namespace longshore
