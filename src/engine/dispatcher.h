// Long polls for work. A claim that finds nothing waits here, and is tried again when its queue
// gives reason to: in the very commit that enqueues a job for it, after a commit that made one
// eligible or in which one stopped running whose queue or type is limited, and once a second in
// case a reason was missed. Oldest first; as many claims are tried as there are jobs or free slots,
// never all of them at once. For a claim that happens to be looking when a job comes, on a store
// that commits in several lanes, the job is reserved: no younger claim is tried for it.
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

// A claim waits at each of its queues, beside those that take the same types. So what a claim costs
// grows with its queues and not with queues times types, and what a job costs grows with the
// different sets of types that are waited for at its queue, not with the claims.
//
// Safe to share between threads. Times are the node's own, may be set back, and only pace.
class Dispatcher {
 public:
  using Ticket = std::uint64_t;

  // `ticker` is rung when the next tick should come earlier than said. Both must outlive this.
  Dispatcher(CommitQueue& queue, Waker& ticker) : queue_(queue), ticker_(ticker) {}

  // Tries the claim, and again until it got a job or has waited so long; then answers, with no
  // leases if none came in time. A refusal or an error is answered at once.
  Ticket claim(Claim claim, Instant now, Duration wait, Answer answer);

  // It shall wait no longer: answers with no leases, or with what a try already on its way
  // brings. Unknown tickets are fine.
  void hasten(Ticket ticket);

  // The one who asked has gone. A job that is given to it all the same is released at once,
  // uncounted, to the front of its queue. Unknown tickets are fine.
  void forget(Ticket ticket);

  // These limits hold from now on. Only haste depends on it: who does not know of a limit finds
  // its free slots within the second.
  void heed(const Configure& rules);

  // The claims that the enqueues of a batch are worth; and if something else in it may bring work,
  // those that have waited for longer than the batch's own claims. Each before the claims that are
  // younger. Heeds the rules in the batch.
  std::vector<Joining> join(std::span<const Command> batch);
  // Tries the claims that what happened is worth.
  void look_at(const Committed& committed);
  // Some queue may have work that another node brought. A claim in flight looks again after its
  // answer: it may have looked too early.
  void hint();

  // Answers those whose time is over, and once a second tries the oldest of each queue. Returns
  // when to be called next.
  Instant tick(Instant now);

  // Answers everybody who waits with no leases. Idempotent.
  void stop();

  std::size_t waiting() const;

 private:
  struct Waiter;
  using WaiterRef = std::shared_ptr<Waiter>;  // shared with the answer of a claim in flight
  struct Door {                               // where a job comes, or a slot
    std::string ns, queue, type;
    friend auto operator<=>(const Door&, const Door&) = default;
  };
  struct Place {
    std::string ns, queue;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  class DoorCounts;
  // How many came free, by whose limit: a queue's stands under no type, a type's under no queue.
  using Slots = std::map<Door, std::int64_t>;
  using LimitsRef = std::shared_ptr<const RunningLimits>;  // shared with those who count by them

  LimitsRef limits() const;
  // Whether a slot may let a claim for these types take a job at the place.
  static bool opens(const Door& slot, const Place& place, const TypeSet& types);
  static void count_slots(Slots& slots, const RunningLimits& limits, const JobEvent& one);
  using Line = std::map<Ticket, WaiterRef>;
  // Those at one place, by the types they take.
  struct Lines {
    std::map<TypeSetRef, Line> all;                                    // no line is empty
    std::map<std::string, std::set<TypeSetRef>, std::less<>> by_type;  // of those that name few
    std::set<TypeSetRef> others;                                       // that name many, or any
  };
  using Waiters = std::map<Place, Lines>;
  void park(const WaiterRef& waiter);
  void unpark(const Waiter& waiter);
  // It is on its way to the store by itself, until its answer arrives.
  void look_around(const WaiterRef& waiter);
  void look_no_more(Waiter& waiter);
  static void enter(Waiters& waiters, const WaiterRef& waiter);
  static void leave(Waiters& waiters, const Waiter& waiter);
  void observe(Instant now);
  static WaiterRef oldest_of(const Waiters& waiters, const Door& door, Ticket after);
  // The oldest that may take a job which this waiter, of those types, could take there; null if
  // there is none that is older than it.
  static WaiterRef oldest_rival(const Waiters& waiters, const Place& place, const Waiter& than);
  // The oldest of each line whose types meet these, as far as they are compared.
  static std::vector<WaiterRef> rivals(const Lines& lines, const TypeSetRef& types);
  // As many of them as may be tried at once, going on where the last choice ended.
  std::vector<WaiterRef> in_turn(const std::set<WaiterRef>& waiters);
  // Who shall be tried for so many jobs at a door, oldest first. Those that are looking count too,
  // but are not disturbed. Jobs that are committed are reserved for them, and whoever is taken for
  // one looks; else it joins the commit.
  enum class Jobs { to_come, committed };
  std::vector<WaiterRef> take_oldest(const Door& door, std::int64_t most, Jobs jobs);
  std::vector<WaiterRef> take_for(Slots slots);
  std::map<Ticket, WaiterRef> oldest_for_slot(const Door& slot);
  std::vector<WaiterRef> take_overdue(Instant now);
  std::vector<WaiterRef> take_probes();
  // A door at which claims for these types wait.
  static Door any_door(const Place& place, const TypeSet& types);
  void reserve_for_looking();
  void pass_on(const std::vector<Door>& reserved, std::vector<WaiterRef>& next);
  void note_news(const Door& door);
  std::uint64_t news_for(const Waiter& waiter);
  // ---- For join, in dispatcher_join.cpp
  // A claim of a batch, and how old it is: one that does not wait is the youngest of all.
  struct InBatch {
    std::size_t place = 0;
    const Claim* claim = nullptr;
    Ticket ticket = 0;
  };
  struct Joiner {
    WaiterRef waiter;
    std::size_t before = 0;
  };
  std::vector<InBatch> claims_in(std::span<const Command> batch);
  std::vector<WaiterRef> parked_before(const InBatch& claim);
  std::vector<Joiner> take_joining(const DoorCounts& brought, std::span<const Command> batch,
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
  Waiters looking_ LONGSHORE_GUARDED_BY(mutex_);  // in flight, but for those that joined a commit
  std::unordered_map<RequestId, Ticket> looking_tickets_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<Ticket, WaiterRef> known_ LONGSHORE_GUARDED_BY(mutex_);  // parked or in flight
  std::set<std::pair<Instant, Ticket>> ends_ LONGSHORE_GUARDED_BY(mutex_);
  LimitsRef limits_ LONGSHORE_GUARDED_BY(mutex_);  // null: there are none
  // How often work came for which nobody was parked, or a slot came free that nobody took: a claim
  // that was in flight then has reason to look again.
  struct News {
    std::uint64_t all = 0;
    std::map<std::string, std::uint64_t> by_type;
  };
  std::map<Place, News> news_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<Door, std::uint64_t> slot_news_ LONGSHORE_GUARDED_BY(mutex_);
  std::uint64_t hints_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  TypeSets type_sets_ LONGSHORE_GUARDED_BY(mutex_);
  Ticket next_ticket_ LONGSHORE_GUARDED_BY(mutex_) = 1;
  Instant now_ LONGSHORE_GUARDED_BY(mutex_);
  Ticket probed_ LONGSHORE_GUARDED_BY(mutex_) = 0;  // the last one, if not all were
  Instant next_probe_ LONGSHORE_GUARDED_BY(mutex_);
  Instant next_tick_ LONGSHORE_GUARDED_BY(mutex_) = Instant::never();  // as last said
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
