// Which workers the store has heard of lately, so that it hears of each every few seconds and not
// with every poll.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/command.h"

namespace longshore {

class Engine;

// Safe to share between threads. Shared with the answers that it waits for.
class WorkerSightings : public std::enable_shared_from_this<WorkerSightings> {
 public:
  using Known = std::function<void()>;

  // Calls `known` once the store knows of this worker, or has failed to learn of it: at once unless
  // the worker is new, changed, was last told of a while ago, or is being told of now. Where
  // `introduced` is false the worker said nothing of itself this time, and what it said before is
  // filled in.
  void tell(Engine& engine, WorkerInfo info, bool introduced, Instant now, Known known);

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, worker
  // On its way to the store. Shared with its answer.
  struct Telling {
    WorkerInfo info;
    Instant at;
    std::vector<Known> waiting;  // guarded by the sightings' mutex_
  };
  struct Seen {
    WorkerInfo info;                    // the latest that was heard
    Instant told = Instant::millis(0);  // when the store last learned that
    std::shared_ptr<Telling> telling;   // null: none is under way
  };

  bool must_tell(Seen& seen, WorkerInfo& info, bool introduced, Instant now);
  void answered(const std::shared_ptr<Telling>& telling, bool learned);

  Mutex mutex_;
  std::map<Name, Seen> seen_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
