// One attempt at a job, from its claim to its last word: what the handler's thread, the heart and
// a stopping worker share.
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

// Is told that an attempt has something to report before its next heartbeat is due.
class Hurried {
 public:
  virtual ~Hurried() = default;
  virtual void hurry(Attempt& attempt) = 0;
};

// Safe to share between threads.
class Attempt {
 public:
  // What an attempt relies on; all of it outlives the attempt.
  struct Surroundings {
    Leases& leases;
    Hurried& heart;
    const std::atomic<bool>& worker_stopping;
  };

  // `at` is the store's time of the claim.
  Attempt(Lease claimed, Instant at, Surroundings surroundings);

  // Constant after construction. Times of pace are by Leases::now().
  const Lease lease;
  const Instant deadline;     // of pace
  const Instant expires;      // of pace: the lease's end, unless it is extended
  const Duration beat_every;  // a third of the lease, and at most 5 seconds

  // ---- For the handler; see Context ----
  Duration time_left() const;
  std::stop_token stop_token() const { return stop_.get_token(); }
  StopReason stop_reason() const;
  bool worker_stopping() const { return around_.worker_stopping; }
  void progress(double percent);
  void log(std::string_view line);
  std::optional<std::string> checkpoint() const;
  Result<Nothing> save_checkpoint(std::string json);

  // ---- For the heart ----
  // With what there is to report; it is then considered reported.
  Heartbeat next_beat();
  // It was not.
  void take_back(const Heartbeat& beat);
  void ask_to_stop(StopReason reason);
  // The job is not this attempt's any more: asks to stop, and nothing that the handler answers
  // later will be said. False if the handler had finished, or it was lost before.
  bool lose(StopReason reason);

  // ---- For the handler's thread ----
  // The handler has answered. True if the answer is to be said.
  bool finish();
  std::string take_log();

 private:
  const Surroundings around_;
  std::stop_source stop_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  enum class Hold { held, finished, lost } hold_ LONGSHORE_GUARDED_BY(mutex_) = Hold::held;
  StopReason reason_ LONGSHORE_GUARDED_BY(mutex_) = StopReason::none;
  std::optional<double> progress_ LONGSHORE_GUARDED_BY(mutex_);
  std::string log_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<std::string> checkpoint_ LONGSHORE_GUARDED_BY(mutex_);
  bool hurried_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

// Whether a refusal says that the job is not the attempt's any more.
bool means_lost(Code code);

using AttemptRef = std::shared_ptr<Attempt>;  // by its thread and by the heart

}  // namespace longshore
