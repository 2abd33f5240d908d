// What is remembered of workers between their calls: who was seen lately, and which long polls with
// a requestId there were, so that a repeated one takes the place of the first.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "api/leases/named_poll.h"
#include "api/leases/worker_sightings.h"
#include "core/sync/mutex.h"
#include "longshore/command.h"

namespace longshore {

// Safe to share between threads.
class LeasePollRegistry {
 public:
  WorkerSightings& sightings() { return *sightings_; }

  // The poll of this id, or a new one. Polls are remembered while calls of theirs are under way,
  // and the latest for a while longer.
  std::shared_ptr<NamedPoll> poll(const RequestId& id, Engine& engine, const std::string& ns);

 private:
  void forget_some_polls();

  const std::shared_ptr<WorkerSightings> sightings_ = std::make_shared<WorkerSightings>();

  Mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<RequestId, std::shared_ptr<NamedPoll>> polls_ LONGSHORE_GUARDED_BY(mutex_);
  std::deque<RequestId> poll_ages_ LONGSHORE_GUARDED_BY(mutex_);  // of polls_, oldest first
};

}  // namespace longshore
