// A worker's threads: each asks for a job, runs its handler, says how it ended and asks for the
// next one in the same breath. Whoever is free takes what comes in next, so that a thread seldom
// waits for the answer to its own question.
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

// Shared by the Worker and by each of its threads, since a handler that does not return when
// asked to outlives the Worker. Only stop() and hurry() may be called from several threads.
class WorkerPool : public std::enable_shared_from_this<WorkerPool> {
 public:
  // See Worker.
  WorkerPool(std::shared_ptr<Leases> leases, WorkerOptions options);
  void add(std::string type, Handler handler, HandlerOptions options, PlainHandler plain);
  Result<Nothing> start();
  StopReport stop();
  void hurry();
  Result<int> run_pending();
  // A handler for a reserved type, which only Longshore's own parts may have.
  void add_own(std::string type, Handler handler, HandlerOptions options);

 private:
  // A thread and what it is busy with.
  struct Slot {
    std::thread thread;
    AttemptRef attempt;              // set while a handler runs
    ConcurrencyLimits::Place place;  // what that occupies
    bool replaced = false;           // its handler is stuck, and another slot does its work
    bool gone = false;
  };
  using SlotRef = std::shared_ptr<Slot>;  // by the crew and the slot's own thread

  // What is still to be said about an attempt, and until when that makes sense.
  struct Rest {
    std::vector<Command> words;
    Instant until;
  };

  Result<Nothing> prepare();
  void add_slot();
  // The answer to a turn, and what it was about.
  struct Answered {
    ConcurrencyLimits::AskRef ask;
    Rest rest;
    Result<Turned> turned;
  };

  void serve(const SlotRef& slot);
  bool ask(const ConcurrencyLimits::Place& leaving, Rest rest);
  ConcurrencyLimits::AskRef next_ask(const ConcurrencyLimits::Place& leaving, Rest& rest);
  void give_back(const Lease& lease);
  std::optional<Lease> lease_in(Answered& answered);
  Rest run(Slot& slot, Lease lease, Instant at);
  void say(Rest& rest);
  void look_at(const std::vector<Command>& words, const std::vector<Verdict>& verdicts);
  void tell_if_lost(const Attempt& attempt);
  void trouble(const Error& error);
  void replace(const AttemptRef& stuck);
  bool is_replaced(const SlotRef& slot);
  void leave(const SlotRef& slot);
  void wait_for_slots(Duration longest, const std::stop_token& enough);
  int release_rest();
  int part_with_threads();

  // Constant once prepared.
  const std::shared_ptr<Leases> leases_;
  WorkerOptions options_;
  Handlers handlers_;
  std::unique_ptr<ConcurrencyLimits> seats_;
  std::unique_ptr<QueueOrder> order_;
  std::unique_ptr<Heartbeater> heart_;

  Arrivals<Answered> arrivals_;  // never more than there are threads
  std::atomic<bool> stopping_ = false;
  std::stop_source stop_;  // of pauses
  std::stop_source all_gone_;
  std::stop_source hurried_;
  std::atomic<bool> released_ = false;  // while stopping: nobody holds a job any more

  Mutex starting_;  // held by start and stop, which exclude each other
  StopReport report_ LONGSHORE_GUARDED_BY(starting_);
  bool started_ LONGSHORE_GUARDED_BY(starting_) = false;

  Mutex mutex_;
  // Guarded by mutex_.
  std::vector<SlotRef> slots_ LONGSHORE_GUARDED_BY(mutex_);
  int stuck_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

}  // namespace longshore
