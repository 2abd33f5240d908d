// The threads of a worker: each claims a job, runs its handler, and reports the outcome together
// with the next claim. Any free thread takes the next reply, so that a thread seldom waits for its
// own.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/leases.h"
#include "longshore/worker.h"
#include "worker/attempt.h"
#include "worker/concurrency_limits.h"
#include "worker/handlers.h"
#include "worker/heartbeater.h"
#include "worker/lease_inbox.h"
#include "worker/queue_order.h"

namespace longshore {

// Shared by the Worker and its threads, since a handler that does not stop outlives the Worker.
// Only stop() and hurry() may be called from several threads.
class WorkerPool : public std::enable_shared_from_this<WorkerPool> {
 public:
  // See Worker.
  WorkerPool(std::shared_ptr<Leases> leases, WorkerOptions options);
  void add(std::string type, Handler handler, HandlerOptions options, PlainHandler plain);
  Result<Nothing> start();
  StopReport stop();
  void hurry();
  Result<int> run_pending();
  // A handler for a reserved type, for Longshore's own use.
  void add_own(std::string type, Handler handler, HandlerOptions options);

 private:
  // A thread and its current job.
  struct Slot {
    std::thread thread;
    AttemptRef attempt;                          // set while a handler runs
    ConcurrencyLimits::Reservation reservation;  // the capacity that the job uses
    bool replaced = false;  // its handler is stuck, and another slot has taken over
    bool gone = false;
  };
  using SlotRef = std::shared_ptr<Slot>;  // shared by the pool and the slot's own thread

  // Commands about an attempt that are still to be sent, and the time after which they are useless.
  struct Unsent {
    std::vector<Command> words;
    Instant until;
  };

  Result<Nothing> prepare();
  void add_slot();
  // The reply to a turn, and what was sent.
  struct TurnReply {
    ConcurrencyLimits::ClaimScopeRef scope;
    Unsent unsent;
    Result<Turned> turned;
  };

  void run_slot(const SlotRef& slot);
  bool claim_next(const ConcurrencyLimits::Reservation& finished, Unsent unsent);
  ConcurrencyLimits::ClaimScopeRef next_scope(const ConcurrencyLimits::Reservation& finished,
                                              Unsent& unsent);
  void release_unstarted(const Lease& lease);
  std::optional<Lease> take_lease(TurnReply& reply);
  Unsent run(Slot& slot, Lease lease, Instant at);
  void send(Unsent& unsent);
  void report_refusals(const std::vector<Command>& words, const std::vector<Verdict>& verdicts);
  void report_if_lost(const Attempt& attempt);
  void report_error(const Error& error);
  void replace(const AttemptRef& stuck);
  bool is_replaced(const SlotRef& slot);
  void leave(const SlotRef& slot);
  void wait_for_slots(Duration longest, const std::stop_token& enough);
  int release_running();
  int join_or_detach_threads();

  // Constant once prepared.
  const std::shared_ptr<Leases> leases_;
  WorkerOptions options_;
  Handlers handlers_;
  std::unique_ptr<ConcurrencyLimits> limits_;
  std::unique_ptr<QueueOrder> order_;
  std::unique_ptr<Heartbeater> heartbeater_;

  LeaseInbox<TurnReply> inbox_;  // at most one per thread
  std::atomic<bool> stopping_ = false;
  std::stop_source stop_;  // ends pauses
  std::stop_source all_ended_;
  std::stop_source hurried_;
  std::atomic<bool> released_ = false;  // while stopping: no job is held any more

  Mutex starting_;  // held by start and stop, which exclude each other
  StopReport report_ LONGSHORE_GUARDED_BY(starting_);
  bool started_ LONGSHORE_GUARDED_BY(starting_) = false;

  Mutex mutex_;
  // Guarded by mutex_.
  std::vector<SlotRef> slots_ LONGSHORE_GUARDED_BY(mutex_);
  int stuck_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

}  // namespace longshore
