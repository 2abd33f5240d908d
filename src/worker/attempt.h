// One attempt at a job, from its claim to its settlement: the state shared by the handler's thread,
// the heartbeater and a stopping worker.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/sync/mutex.h"
#include "longshore/context.h"
#include "longshore/leases.h"

namespace longshore {

class Attempt;

// Called when an attempt has something to report before its next heartbeat is due.
class EarlyHeartbeats {
 public:
  virtual ~EarlyHeartbeats() = default;
  virtual void heartbeat_soon(Attempt& attempt) = 0;
};

// Safe to share between threads.
class Attempt {
 public:
  // All of these must outlive the attempt.
  struct Dependencies {
    Leases& leases;
    EarlyHeartbeats& heartbeats;
    const std::atomic<bool>& worker_stopping;
  };

  // `at` is the store's time of the claim.
  Attempt(Lease claimed, Instant at, Dependencies dependencies);

  // Constant after construction. Local times are measured by Leases::now().
  const Lease lease;
  const Instant deadline;             // local time
  const Instant expires;              // local time: the end of the lease unless it is extended
  const Duration heartbeat_interval;  // a third of the lease, and at most 5 seconds

  // ---- For the handler; see Context ----
  Duration time_left() const;
  std::stop_token stop_token() const { return stop_.get_token(); }
  StopReason stop_reason() const;
  bool worker_stopping() const { return dependencies_.worker_stopping; }
  void progress(double percent);
  void log(std::string_view line);
  std::optional<std::string> checkpoint() const;
  Result<Nothing> save_checkpoint(std::string json);

  // ---- For the heartbeater ----
  // Includes the pending progress and log, and clears them.
  Heartbeat next_heartbeat();
  // Restores them: the heartbeat was not delivered.
  void restore(const Heartbeat& beat);
  void ask_to_stop(StopReason reason);
  // The lease is lost: asks the handler to stop and discards its outcome. False if the handler had
  // finished, or the lease was already lost.
  bool lose(StopReason reason);

  // ---- For the handler's thread ----
  // The handler has returned. True if its outcome is to be reported.
  bool finish();
  std::string take_log();

 private:
  const Dependencies dependencies_;
  std::stop_source stop_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  enum class Hold { held, finished, lost } hold_ LONGSHORE_GUARDED_BY(mutex_) = Hold::held;
  StopReason reason_ LONGSHORE_GUARDED_BY(mutex_) = StopReason::none;
  std::optional<double> progress_ LONGSHORE_GUARDED_BY(mutex_);
  std::string log_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<std::string> checkpoint_ LONGSHORE_GUARDED_BY(mutex_);
  bool heartbeat_requested_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

// Whether this refusal means that the attempt no longer holds the lease.
bool means_lease_lost(Code code);

using AttemptRef = std::shared_ptr<Attempt>;  // shared by its thread and the heartbeater

}  // namespace longshore
