// Long polls for jobs. A claim that finds no job waits here and is retried: in the commit that
// enqueues a job for it, after a commit that made a job eligible or freed a slot of a limited queue
// or type, and once a second in case a reason was missed. Oldest first; as many claims are retried
// as there are jobs or free slots. If a job arrives while an older claim is in flight, which
// happens on stores with concurrent commits, the job is reserved for it: no younger claim is
// retried.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "engine/commit_queue.h"
#include "engine/running_limits.h"
#include "engine/type_set.h"

namespace longshore {

// A claim waits at each of its queues, in a list with the claims for the same types. So the cost of
// a claim grows with its queues, not with queues times types, and the cost of a job grows with the
// number of different type sets at its queue, not with the claims.
//
// Safe to share between threads. Times are the node's own, may be set back, and only pace retries.
class Dispatcher {
 public:
  using Ticket = std::uint64_t;

  // Wakes `ticker` when the next tick should come earlier than tick() returned. Both must outlive
  // this.
  Dispatcher(CommitQueue& queue, Waker& ticker) : queue_(queue), ticker_(ticker) {}

  // Retries the claim until it gets a job or `wait` has passed; then answers, possibly without
  // leases. Refusals and errors are answered at once.
  Ticket claim(Claim claim, Instant now, Duration wait, Answer answer);

  // Ends the wait: answers without leases, or with the result of a try in flight. Ignores unknown
  // tickets.
  void end_wait(Ticket ticket);

  // The caller has disconnected. A job that is still leased to it is released at once, uncounted,
  // to the front of its queue. Ignores unknown tickets.
  void abandon(Ticket ticket);

  // Updates the limits of running jobs. Only latency depends on it: without it, free slots are
  // found within a second.
  void set_limits(const Configure& rules);

  // The waiting claims to add to a batch: one for each job it enqueues and, if other commands in it
  // may make jobs eligible, those that are older than its own claims. Each comes before younger
  // claims. Applies limits that the batch configures.
  std::vector<Joining> join(std::span<const Command> batch);
  // Retries claims for which the commit made jobs eligible or slots free.
  void on_commit(const Committed& committed);
  // Another node may have enqueued jobs. A claim in flight is retried after its answer, since it
  // may have come too early.
  void hint();

  // Answers claims whose wait is over, and once a second retries the oldest of each queue. Returns
  // when to be called next.
  Instant tick(Instant now);

  // Answers all waiting claims without leases. Idempotent.
  void stop();

  std::size_t waiting() const;

 private:
  struct Waiter;
  using WaiterRef = std::shared_ptr<Waiter>;  // shared with the answer of a claim in flight
  struct QueueAndType {                       // of a job, or of a free slot
    std::string ns, queue, type;
    friend auto operator<=>(const QueueAndType&, const QueueAndType&) = default;
  };
  struct QueueRef {
    std::string ns, queue;
    friend auto operator<=>(const QueueRef&, const QueueRef&) = default;
  };
  class JobCounts;
  // Freed slots by limit: a queue's limit has an empty type, a type's limit an empty queue.
  using Slots = std::map<QueueAndType, std::int64_t>;
  using LimitsRef = std::shared_ptr<const RunningLimits>;  // shared with readers

  LimitsRef limits() const;
  // Whether a free slot may allow a claim for these types to take a job of the queue.
  static bool frees_slot_for(const QueueAndType& slot, const QueueRef& queue, const TypeSet& types);
  static void count_slots(Slots& slots, const RunningLimits& limits, const JobEvent& one);
  using Line = std::map<Ticket, WaiterRef>;
  // The claims at one queue, by the types they take.
  struct Lines {
    std::map<TypeSetRef, Line> all;                                    // no line is empty
    std::map<std::string, std::set<TypeSetRef>, std::less<>> by_type;  // sets of few types
    std::set<TypeSetRef> others;                                       // sets of many types, or any
  };
  using Waiters = std::map<QueueRef, Lines>;
  void park(const WaiterRef& waiter);
  void unpark(const Waiter& waiter);
  // The claim is in flight on its own, until its answer arrives.
  void begin_looking(const WaiterRef& waiter);
  void end_looking(Waiter& waiter);
  static void enter(Waiters& waiters, const WaiterRef& waiter);
  static void leave(Waiters& waiters, const Waiter& waiter);
  void observe(Instant now);
  static WaiterRef oldest_of(const Waiters& waiters, const QueueAndType& target, Ticket after);
  // The oldest claim at the queue that competes with this waiter for jobs; null if none is older.
  static WaiterRef oldest_competitor(const Waiters& waiters, const QueueRef& queue,
                                     const Waiter& than);
  // The oldest of each line whose types overlap these; compares only some of the lines.
  static std::vector<WaiterRef> competitors(const Lines& lines, const TypeSetRef& types);
  // Chooses as many as may be tried at once, round-robin.
  std::vector<WaiterRef> in_turn(const std::set<WaiterRef>& waiters);
  // Takes the claims to retry for `most` jobs, oldest first. Claims in flight count, but are not
  // retried: committed jobs are reserved for them. Claims taken for committed jobs begin looking;
  // those for jobs to come join the commit.
  enum class Jobs { to_come, committed };
  std::vector<WaiterRef> take_oldest(const QueueAndType& target, std::int64_t most, Jobs jobs);
  std::vector<WaiterRef> take_for(Slots slots);
  std::map<Ticket, WaiterRef> oldest_for_slot(const QueueAndType& slot);
  std::vector<WaiterRef> take_overdue(Instant now);
  std::vector<WaiterRef> take_probes();
  // Any target for which claims for these types wait.
  static QueueAndType any_target(const QueueRef& queue, const TypeSet& types);
  void reserve_for_looking();
  void offer_reserved(const std::vector<QueueAndType>& reserved, std::vector<WaiterRef>& next);
  void note_arrival(const QueueAndType& target);
  std::uint64_t arrivals_for(const Waiter& waiter);
  // ---- For join, in dispatcher_join.cpp
  // A claim of a batch, and its age: one that does not wait is the youngest.
  struct InBatch {
    std::size_t index = 0;
    const Claim* claim = nullptr;
    Ticket ticket = 0;
  };
  struct Joiner {
    WaiterRef waiter;
    std::size_t before = 0;
  };
  std::vector<InBatch> claims_in(std::span<const Command> batch);
  std::vector<WaiterRef> parked_before(const InBatch& claim);
  std::vector<Joiner> take_joining(const JobCounts& brought, std::span<const Command> batch,
                                   bool more_may_come);
  Entry entry_for(const WaiterRef& waiter);
  void try_again(const std::vector<WaiterRef>& waiters);
  void arrived(const WaiterRef& waiter, Result<Answered> answered);
  void release_all(const Claim& claim, const Leased& leased);

  CommitQueue& queue_;
  Waker& ticker_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  Waiters parked_ LONGSHORE_GUARDED_BY(mutex_);
  Waiters looking_ LONGSHORE_GUARDED_BY(mutex_);  // in flight, except those that joined a commit
  std::unordered_map<RequestId, Ticket> looking_tickets_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<Ticket, WaiterRef> known_ LONGSHORE_GUARDED_BY(mutex_);  // parked or in flight
  std::set<std::pair<Instant, Ticket>> ends_ LONGSHORE_GUARDED_BY(mutex_);
  LimitsRef limits_ LONGSHORE_GUARDED_BY(mutex_);  // null: no limits
  // Counts jobs and free slots for which no claim was parked: a claim that was in flight then must
  // be retried.
  struct Arrivals {
    std::uint64_t all = 0;
    std::map<std::string, std::uint64_t> by_type;
  };
  std::map<QueueRef, Arrivals> arrivals_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<QueueAndType, std::uint64_t> freed_slots_ LONGSHORE_GUARDED_BY(mutex_);
  std::uint64_t hints_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  TypeSets type_sets_ LONGSHORE_GUARDED_BY(mutex_);
  Ticket next_ticket_ LONGSHORE_GUARDED_BY(mutex_) = 1;
  Instant now_ LONGSHORE_GUARDED_BY(mutex_);
  Ticket probed_ LONGSHORE_GUARDED_BY(mutex_) = 0;  // the last one probed, if not all were
  Instant next_probe_ LONGSHORE_GUARDED_BY(mutex_);
  Instant next_tick_ LONGSHORE_GUARDED_BY(mutex_) = Instant::never();  // as last returned
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
