// Limits how many jobs of each queue and type a worker runs at once. Before a slot claims a job it
// reserves capacity in every limited queue and type of the claim, since the job may be of any of
// them; what the job does not use is released again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/sync/mutex.h"

namespace longshore {

// Safe to share between threads.
class ConcurrencyLimits {
 public:
  struct Limit {
    std::string name;
    int most = 0;  // 0: no limit
  };
  ConcurrencyLimits(const std::vector<Limit>& queues, const std::vector<Limit>& types);

  // The queues and types that one slot claims from. `stop` is requested when a wider claim is
  // possible.
  struct ClaimScope {
    std::vector<std::string> queues;
    std::vector<std::string> types;
    std::stop_source stop;
    std::vector<std::size_t> held;  // indexes into classes_
  };
  using ClaimScopeRef =
      std::shared_ptr<ClaimScope>;  // shared by the slot that claims and those that interrupt it

  // The capacity reserved for a running job, or left from a finished claim.
  struct Reservation {
    std::vector<std::size_t> held;
  };

  // What may be claimed now; null if the limits leave nothing, or once stopped. Releases `finished`
  // first, so that a slot can take another job of the same kind.
  ClaimScopeRef try_claim(const Reservation& finished);
  // The same, but waits; null once stopped.
  ClaimScopeRef wait_claim();
  // The claim ended without a job. The result is for try_claim or release.
  Reservation abandon(const ClaimScopeRef& scope);
  // The claim ended with a job.
  Reservation assign(const ClaimScopeRef& scope, const std::string& queue, const std::string& type);
  void release(const Reservation& reservation);

  // Interrupts all current and later claims. Idempotent.
  void stop();

 private:
  struct Class {
    std::string name;
    bool is_queue = false;
    int most = 0;
    int busy = 0;
  };

  ClaimScopeRef make_scope();
  void free_one(std::size_t which);
  void wake_for(std::size_t which);
  void forget(const ClaimScopeRef& scope);

  Mutex mutex_;
  std::condition_variable_any freed_;
  // Guarded by mutex_.
  std::vector<Class> classes_ LONGSHORE_GUARDED_BY(mutex_);
  std::vector<ClaimScopeRef> claiming_ LONGSHORE_GUARDED_BY(mutex_);
  int waiting_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
