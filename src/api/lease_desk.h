// What is remembered of workers between their calls: who was seen lately, and which long polls are
// under way, so that a repeated one takes the place of the first.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/mutex.h"
#include "longshore/command.h"

namespace longshore {

class Lending;

// Safe to share between threads.
class LeaseDesk {
 public:
  // True if the store should hear of this worker now: it is new, changed, or was last told of a
  // while ago. Where `introduced` is false the worker said nothing of itself this time, and what it
  // said before is filled in.
  bool worth_telling(WorkerInfo& info, bool introduced, Instant now);

  // Remembers the poll under its id, and answers the one it takes the place of, if any.
  std::shared_ptr<Lending> take_over(const RequestId& id, const std::shared_ptr<Lending>& lending);
  // The poll is over. Nothing happens if another has taken its place.
  void forget(const RequestId& id, const Lending* lending);

 private:
  struct Seen {
    WorkerInfo info;
    Instant told;
  };

  Mutex mutex_;
  // Guarded by mutex_.
  std::map<std::pair<std::string, std::string>, Seen> seen_ LONGSHORE_GUARDED_BY(mutex_);
  std::unordered_map<RequestId, std::weak_ptr<Lending>> lendings_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
