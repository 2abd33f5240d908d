#include "engine/dispatcher.h"

#include <algorithm>
#include <utility>

#include "engine/waiter.h"

namespace longshore {

namespace {

constexpr Duration probe_every = Duration::seconds(1);

}  // namespace

Dispatcher::Ticket Dispatcher::claim(Claim claim, Instant now, Duration wait, Answer answer) {
  auto waiter = std::make_shared<Waiter>();
  for (const std::string& queue : claim.queues) waiter->queues.push_back({claim.ns, queue});
  waiter->types = std::make_shared<const TypeSet>(claim.types);
  waiter->claim = std::move(claim);
  // A claim that does not wait has a deadline in the past, so its first try is its answer.
  waiter->until = wait > Duration() ? now + wait : Instant();
  waiter->answer = std::move(answer);
  bool stopped = false;
  {
    MutexLock lock(mutex_);
    observe(now);
    stopped = stopped_;
    waiter->ticket = next_ticket_++;
    waiter->types = type_sets_.shared(waiter->types);
    if (!stopped) known_[waiter->ticket] = waiter;
    if (!stopped && wait > Duration()) begin_looking(waiter);
  }
  if (stopped) {
    waiter->answer(Error{Errc::unavailable, "the engine has stopped"});
  } else {
    try_again({waiter});
  }
  return waiter->ticket;
}

void Dispatcher::abandon(Ticket ticket) {
  MutexLock lock(mutex_);
  const auto found = known_.find(ticket);
  if (found == known_.end()) return;
  found->second->abandoned = true;
  unpark(*found->second);
  // A claim in flight is handled when its answer arrives.
  known_.erase(found);
}

void Dispatcher::end_wait(Ticket ticket) {
  WaiterRef parked;
  {
    MutexLock lock(mutex_);
    const auto found = known_.find(ticket);
    if (found == known_.end()) return;
    Waiter& waiter = *found->second;
    if (ends_.contains({waiter.until, waiter.ticket})) {
      unpark(waiter);
      parked = std::move(found->second);
      known_.erase(found);
    } else {
      waiter.until = Instant();  // in flight: not retried after its next answer
    }
  }
  if (parked) parked->answer(Answered{Leased{}, Instant()});
}

void Dispatcher::set_limits(const Configure& rules) {
  auto limits = std::make_shared<const RunningLimits>(rules);
  if (limits->empty()) limits = nullptr;
  MutexLock lock(mutex_);
  limits_ = std::move(limits);
}

Dispatcher::LimitsRef Dispatcher::limits() const {
  MutexLock lock(mutex_);
  return limits_;
}

void Dispatcher::count_slots(Slots& slots, const RunningLimits& limits, const JobEvent& one) {
  const bool left = one.transition.from == State::running;
  const bool entered = one.transition.to == State::running;
  if (left == entered) return;
  const std::int64_t freed = left ? 1 : -1;
  if (limits.has_queue(one.ns, one.queue)) slots[{one.ns, one.queue, ""}] += freed;
  if (limits.has_type(one.ns, one.type)) slots[{one.ns, "", one.type}] += freed;
}

void Dispatcher::on_commit(const Committed& committed) {
  const LimitsRef known_limits = limits();
  Slots slots;
  JobCounts counts;
  for (const JobEvent& one : committed.events) {
    const bool came = one.transition.to == State::queued;
    const bool went = one.transition.from == State::queued;
    if (came || went) counts.add(one.ns, one.queue, one.type, int{came} - int{went});
    if (known_limits) count_slots(slots, *known_limits, one);
  }
  const auto& ready = counts.all();
  std::vector<WaiterRef> waiters;
  {
    MutexLock lock(mutex_);
    for (const auto& [target, count] : ready) {
      if (count <= 0) continue;
      std::vector<WaiterRef> found = take_oldest(target, count, Jobs::committed);
      if (std::ssize(found) < count) note_arrival(target);
      for (WaiterRef& waiter : found) waiters.push_back(std::move(waiter));
    }
    for (WaiterRef& waiter : take_for(std::move(slots))) waiters.push_back(std::move(waiter));
  }
  try_again(waiters);
}

void Dispatcher::hint() {
  std::vector<WaiterRef> probes;
  {
    MutexLock lock(mutex_);
    hints_ += 1;
    reserve_for_looking();
    probes = take_probes();
  }
  try_again(probes);
}

Instant Dispatcher::tick(Instant now) {
  std::vector<WaiterRef> overdue;
  std::vector<WaiterRef> probes;
  Instant next;
  {
    MutexLock lock(mutex_);
    observe(now);
    overdue = take_overdue(now);
    if (now >= next_probe_) {
      probes = take_probes();
      next_probe_ = now + probe_every;
    }
    next = next_probe_;
    if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
    for (const WaiterRef& probe : probes) next = std::min(next, probe->until);
    next_tick_ = next;
  }
  for (const WaiterRef& waiter : overdue) waiter->answer(Answered{Leased{}, Instant()});
  try_again(probes);
  return next;
}

void Dispatcher::stop() {
  std::vector<WaiterRef> rest;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    rest = take_overdue(Instant::never());
  }
  for (const WaiterRef& waiter : rest) waiter->answer(Answered{Leased{}, Instant()});
}

std::size_t Dispatcher::waiting() const {
  MutexLock lock(mutex_);
  return ends_.size();
}

// ---- With the lock held -----------------------------------------------------------------------

void Dispatcher::park(const WaiterRef& waiter) {
  mutex_.assert_held();
  enter(parked_, waiter);
  ends_.emplace(waiter->until, waiter->ticket);
}

void Dispatcher::begin_looking(const WaiterRef& waiter) {
  mutex_.assert_held();
  waiter->looking = true;
  looking_tickets_[waiter->claim.id] = waiter->ticket;
  enter(looking_, waiter);
}

void Dispatcher::end_looking(Waiter& waiter) {
  mutex_.assert_held();
  if (!std::exchange(waiter.looking, false)) return;
  looking_tickets_.erase(waiter.claim.id);
  leave(looking_, waiter);
}

// If the node's clock was set back, moves all deadlines back as well.
void Dispatcher::observe(Instant now) {
  mutex_.assert_held();
  const Duration by = now_ - now;
  // Threads may arrive in another order than they read the clock.
  const bool set_back = by >= probe_every;
  if (by < Duration() || set_back) now_ = now;
  if (!set_back) return;
  next_probe_ = next_probe_ - by;
  std::set<std::pair<Instant, Ticket>> ends;
  for (const auto& [ticket, waiter] : known_) {
    const bool parked = ends_.contains({waiter->until, ticket});
    waiter->until = waiter->until - by;
    if (parked) ends.emplace(waiter->until, ticket);
  }
  ends_ = std::move(ends);
}

void Dispatcher::unpark(const Waiter& waiter) {
  mutex_.assert_held();
  leave(parked_, waiter);
  ends_.erase({waiter.until, waiter.ticket});
}

std::vector<Dispatcher::WaiterRef> Dispatcher::take_oldest(const QueueAndType& target,
                                                           std::int64_t most, Jobs jobs) {
  mutex_.assert_held();
  std::vector<WaiterRef> taken;
  Ticket seen = 0;  // the last claim in flight
  while (most > 0) {
    const WaiterRef parked = oldest_of(parked_, target, 0);
    const WaiterRef looking = oldest_of(looking_, target, seen);
    if (!parked && !looking) break;
    const bool passes = looking && (!parked || looking->ticket < parked->ticket);
    const WaiterRef& next = passes ? looking : parked;
    most -= std::max(next->claim.limit, 1);
    if (!passes) {
      unpark(*next);
      taken.push_back(next);
      continue;
    }
    seen = next->ticket;
    if (jobs == Jobs::committed) next->reserved.push_back(target);
  }
  if (jobs == Jobs::committed) {
    for (const WaiterRef& waiter : taken) begin_looking(waiter);
  }
  return taken;
}

std::vector<Dispatcher::WaiterRef> Dispatcher::take_for(Slots slots) {
  mutex_.assert_held();
  std::vector<WaiterRef> taken;
  bool found = !slots.empty();
  while (found) {
    // A job can free a slot of its queue and one of its type, and one claim uses both.
    std::map<Ticket, WaiterRef> chosen;
    for (auto& [slot, count] : slots) {
      if (count <= 0) continue;
      std::map<Ticket, WaiterRef> oldest = oldest_for_slot(slot);
      if (oldest.empty()) continue;
      int least = oldest.begin()->second->claim.limit;
      for (const auto& [ticket, waiter] : oldest) least = std::min(least, waiter->claim.limit);
      count -= std::max(least, 1);
      chosen.merge(oldest);
    }
    found = !chosen.empty();
    for (auto& [ticket, waiter] : chosen) {
      unpark(*waiter);
      begin_looking(waiter);
      taken.push_back(std::move(waiter));
    }
  }
  for (const auto& [slot, count] : slots) {
    if (count > 0) freed_slots_[slot] += 1;
  }
  return taken;
}

std::vector<Dispatcher::WaiterRef> Dispatcher::take_overdue(Instant now) {
  mutex_.assert_held();
  std::vector<WaiterRef> overdue;
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const auto found = known_.find(ends_.begin()->second);
    unpark(*found->second);
    overdue.push_back(std::move(found->second));
    known_.erase(found);
  }
  return overdue;
}

std::vector<Dispatcher::WaiterRef> Dispatcher::take_probes() {
  mutex_.assert_held();
  std::set<WaiterRef> chosen;  // one waiter may wait at several queues
  for (const auto& [queue, lines] : parked_) {
    for (const auto& [types, line] : lines.all) {
      const WaiterRef& oldest = line.begin()->second;
      const WaiterRef looking = oldest_competitor(looking_, queue, *oldest);
      if (!looking) {
        chosen.insert(oldest);
        continue;
      }
      // An older claim in flight is retried first, so that the younger does not overtake it.
      looking->reserved.push_back(any_target(queue, *types));
    }
  }
  std::vector<WaiterRef> probes = in_turn(chosen);
  for (const WaiterRef& waiter : probes) {
    waiter->probing = true;
    unpark(*waiter);
    begin_looking(waiter);
  }
  return probes;
}

// A claim in flight may have come before the job: the oldest of each line is retried.
void Dispatcher::reserve_for_looking() {
  mutex_.assert_held();
  for (const auto& [queue, lines] : looking_) {
    for (const auto& [types, line] : lines.all) {
      std::vector<QueueAndType>& reserved = line.begin()->second->reserved;
      const QueueAndType target = any_target(queue, *types);
      if (std::ranges::find(reserved, target) == reserved.end()) reserved.push_back(target);
    }
  }
}

// It is not known here which jobs the claim took, so another claim is tried for each.
void Dispatcher::offer_reserved(const std::vector<QueueAndType>& reserved,
                                std::vector<WaiterRef>& next) {
  mutex_.assert_held();
  for (const QueueAndType& target : reserved) {
    std::vector<WaiterRef> taken = take_oldest(target, 1, Jobs::committed);
    if (taken.empty()) note_arrival(target);
    for (WaiterRef& waiter : taken) next.push_back(std::move(waiter));
  }
}

// ---- Without the lock
// -------------------------------------------------------------------------------

Entry Dispatcher::entry_for(const WaiterRef& waiter) {
  {
    MutexLock lock(mutex_);
    waiter->arrivals = arrivals_for(*waiter);
    waiter->hints = hints_;
  }
  return {waiter->claim,
          [this, waiter](Result<Answered> answered) { arrived(waiter, std::move(answered)); }};
}

void Dispatcher::try_again(const std::vector<WaiterRef>& waiters) {
  for (const WaiterRef& waiter : waiters) {
    Entry entry = entry_for(waiter);
    queue_.submit(std::move(entry.command), std::move(entry.answer));
  }
}

void Dispatcher::arrived(const WaiterRef& waiter, Result<Answered> answered) {
  const Leased* leased = answered ? std::get_if<Leased>(&answered->verdict) : nullptr;
  const bool empty = leased != nullptr && leased->leases.empty();
  std::vector<WaiterRef> next;
  bool again = false;
  bool abandoned = false;
  bool over = true;
  bool sooner = false;
  {
    MutexLock lock(mutex_);
    const bool joined = !waiter->looking;
    end_looking(*waiter);
    const std::vector<QueueAndType> reserved = std::exchange(waiter->reserved, {});
    abandoned = waiter->abandoned;
    if (!abandoned && empty && !stopped_ && waiter->until > now_) {
      over = false;
      const bool was_hinted = joined && waiter->hints != hints_;
      again = !reserved.empty() || was_hinted || arrivals_for(*waiter) != waiter->arrivals;
      waiter->probing = waiter->probing && again;
      if (again) begin_looking(waiter);
      if (!again) park(waiter);
      sooner = waiter->until < next_tick_;
    }
    if (over) {
      known_.erase(waiter->ticket);
      offer_reserved(reserved, next);
    }
    // A probe that found a job shows that an event was missed, so the next oldest probes too.
    if (waiter->probing && leased != nullptr && !empty) {
      for (const Lease& lease : leased->leases) {
        const QueueAndType target{waiter->claim.ns, lease.queue, lease.type};
        for (WaiterRef& one : take_oldest(target, 1, Jobs::committed)) {
          one->probing = true;
          next.push_back(std::move(one));
        }
      }
    }
  }
  if (sooner) ticker_.wake();
  if (again) next.push_back(waiter);
  if (abandoned && leased != nullptr) release_all(waiter->claim, *leased);
  if (over && !abandoned) waiter->answer(std::move(answered));
  try_again(next);
}

void Dispatcher::release_all(const Claim& claim, const Leased& leased) {
  for (const Lease& lease : leased.leases) {
    queue_.submit(Release{.ns = claim.ns, .job = lease.job, .token = lease.token},
                  [](const Result<Answered>&) {
                    // If the release is lost, the lease expires.
                  });
  }
}

}  // namespace longshore
