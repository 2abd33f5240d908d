// What is remembered of workers between their calls: who was seen lately, and which long polls with
// a requestId there were, so that a repeated one takes the place of the first.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/named_poll.h"
#include "core/mutex.h"
#include "longshore/command.h"

namespace longshore {

// Safe to share between threads.
class LeaseDesk {
 public:
  // True if the store should hear of this worker now: it is new, changed, or was last told of a
  // while ago. Where `introduced` is false the worker said nothing of itself this time, and what it
  // said before is filled in.
  bool worth_telling(WorkerInfo& info, bool introduced, Instant now);

  // The poll of this id, or a new one. Polls are remembered while calls of theirs are under way,
  // and the latest for a while longer.
  std::shared_ptr<NamedPoll> poll(const RequestId& id, Engine& engine, const std::string& ns);

 private:
  void forget_some_polls();

  struct Seen {
    WorkerInfo info;
    Instant told;
  };

  Mutex mutex_;
  // Guarded by mutex_.
  std::map<std::pair<std::string, std::string>, Seen> seen_ LONGSHORE_GUARDED_BY(mutex_);
  std::unordered_map<RequestId, std::shared_ptr<NamedPoll>> polls_ LONGSHORE_GUARDED_BY(mutex_);
  std::deque<RequestId> poll_ages_ LONGSHORE_GUARDED_BY(mutex_);  // of polls_, oldest first
};

}  // namespace longshore
