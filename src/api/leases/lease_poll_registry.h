// State kept between the lease requests of workers: when each was last seen, and the long polls
// with a requestId, so that a repeated one replaces the first.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "api/leases/named_poll.h"
#include "api/leases/worker_reporter.h"
#include "core/sync/mutex.h"
#include "longshore/command.h"

namespace longshore {

// Safe to share between threads.
class LeasePollRegistry {
 public:
  WorkerReporter& workers() { return *workers_; }

  // The poll of this id, or a new one. A poll is kept while it has open calls; the most recent ones
  // are kept longer.
  std::shared_ptr<NamedPoll> poll(const RequestId& id, Engine& engine, const std::string& ns);

 private:
  void forget_some_polls();

  const std::shared_ptr<WorkerReporter> workers_ = std::make_shared<WorkerReporter>();

  Mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<RequestId, std::shared_ptr<NamedPoll>> polls_ LONGSHORE_GUARDED_BY(mutex_);
  std::deque<RequestId> poll_ages_ LONGSHORE_GUARDED_BY(mutex_);  // of polls_, oldest first
};

}  // namespace longshore
