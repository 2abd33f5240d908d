// What time brings: promoting, reaping, sweeping, pruning, and saying that this node is alive.
// Each chore is a command sent now and then through the same group commit as everything else;
// when the store says there is more, it is sent again at once.
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

// How often a chore is due: always the same, or as some rule says at the moment.
class Pace {
 public:
  Pace(Duration every = {}) : ask_([every] { return every; }) {}  // NOLINT: a duration is a pace
  Pace(std::function<Duration()> ask) : ask_(std::move(ask)) {}   // NOLINT: and so is a question
  Duration operator()() const { return ask_(); }

 private:
  std::function<Duration()> ask_;
};

// The rules as they are now, from any thread.
using RulesNow = std::function<std::shared_ptr<const Rules>()>;

// Safe to share between threads; one thread ticks.
class Chores {
 public:
  // `ticker` is rung when the next tick should come earlier than said.
  Chores(CommitQueue& queue, Waker& ticker);

  // Sends what `make` gives every so often, and sooner when the answer asks for it. Answers of
  // a chore go to `tell` as well, if there is one.
  struct Chore {
    std::string name;
    Pace every;
    std::function<std::optional<Command>(Instant now)> make;  // none: nothing to say this time
    std::function<void(const Answered&)> tell;
    // Moves after which the store may have an earlier time to name than it did.
    std::function<bool(const Transition&)> hastened_by;
  };
  void add(Chore chore);

  // Sends what is due and returns when to be called next.
  Instant tick(Instant now);

  void look_at(const Committed& committed);

 private:
  struct Line {
    Chore chore;
    Instant next;
    Instant sent;
    bool away = false;  // sent and not yet answered
  };

  void answered(std::size_t which, const Result<Answered>& answer);

  CommitQueue& queue_;
  Waker& ticker_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::vector<Line> lines_ LONGSHORE_GUARDED_BY(mutex_);
  Instant now_ LONGSHORE_GUARDED_BY(mutex_);
};

// The chores every node does under these rules, which may change. Without `recovery` it reclaims no
// lost leases; deadlines are judged all the same.
std::vector<Chores::Chore> usual_chores(const RulesNow& rules, NodeId node, const std::string& name,
                                        bool recovery);

}  // namespace longshore
