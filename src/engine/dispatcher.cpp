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
  for (const std::string& queue : claim.queues) waiter->places.push_back({claim.ns, queue});
  waiter->types = std::make_shared<const TypeSet>(claim.types);
  waiter->claim = std::move(claim);
  // The past for a claim that is not to wait: it is then answered by its first try.
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
    if (!stopped && wait > Duration()) look_around(waiter);
  }
  if (stopped) {
    waiter->answer(Error{Errc::unavailable, "the engine has stopped; no work is given out"});
  } else {
    try_again({waiter});
  }
  return waiter->ticket;
}

void Dispatcher::forget(Ticket ticket) {
  MutexLock lock(mutex_);
  const auto found = known_.find(ticket);
  if (found == known_.end()) return;
  found->second->forgotten = true;
  unpark(*found->second);
  // In flight it stays known until its answer comes; parked, nobody will ask for it again.
  known_.erase(found);
}

void Dispatcher::hasten(Ticket ticket) {
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
      waiter.until = Instant();  // in flight: its next answer is its last
    }
  }
  if (parked) parked->answer(Answered{Leased{}, Instant()});
}

void Dispatcher::heed(const Configure& rules) {
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

void Dispatcher::look_at(const Committed& committed) {
  const LimitsRef known_limits = limits();
  Slots slots;
  DoorCounts counts;
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
    for (const auto& [door, count] : ready) {
      if (count <= 0) continue;
      std::vector<WaiterRef> found = take_oldest(door, count, Jobs::committed);
      if (std::ssize(found) < count) note_news(door);
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

void Dispatcher::look_around(const WaiterRef& waiter) {
  mutex_.assert_held();
  waiter->looking = true;
  looking_tickets_[waiter->claim.id] = waiter->ticket;
  enter(looking_, waiter);
}

void Dispatcher::look_no_more(Waiter& waiter) {
  mutex_.assert_held();
  if (!std::exchange(waiter.looking, false)) return;
  looking_tickets_.erase(waiter.claim.id);
  leave(looking_, waiter);
}

// If the node's clock was set back, everybody waits as long as before, by the new one.
void Dispatcher::observe(Instant now) {
  mutex_.assert_held();
  const Duration by = now_ - now;
  // Threads do not come here in the order in which they looked at the clock.
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

std::vector<Dispatcher::WaiterRef> Dispatcher::take_oldest(const Door& door, std::int64_t most,
                                                           Jobs jobs) {
  mutex_.assert_held();
  std::vector<WaiterRef> taken;
  Ticket seen = 0;  // the last one of those that were looking already
  while (most > 0) {
    const WaiterRef parked = oldest_of(parked_, door, 0);
    const WaiterRef looking = oldest_of(looking_, door, seen);
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
    if (jobs == Jobs::committed) next->reserved.push_back(door);
  }
  if (jobs == Jobs::committed) {
    for (const WaiterRef& waiter : taken) look_around(waiter);
  }
  return taken;
}

std::vector<Dispatcher::WaiterRef> Dispatcher::take_for(Slots slots) {
  mutex_.assert_held();
  std::vector<WaiterRef> taken;
  bool found = !slots.empty();
  while (found) {
    // A job may have freed a slot of its queue and one of its type, and one claim uses both.
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
      look_around(waiter);
      taken.push_back(std::move(waiter));
    }
  }
  for (const auto& [slot, count] : slots) {
    if (count > 0) slot_news_[slot] += 1;
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
  std::set<WaiterRef> chosen;  // one waiter may wait at several places
  for (const auto& [place, lines] : parked_) {
    for (const auto& [types, line] : lines.all) {
      const WaiterRef& oldest = line.begin()->second;
      const WaiterRef looking = oldest_rival(looking_, place, *oldest);
      if (!looking) {
        chosen.insert(oldest);
        continue;
      }
      // An older one that is on its way looks again, so that the younger does not get ahead of it.
      looking->reserved.push_back(any_door(place, *types));
    }
  }
  std::vector<WaiterRef> probes = in_turn(chosen);
  for (const WaiterRef& waiter : probes) {
    waiter->probing = true;
    unpark(*waiter);
    look_around(waiter);
  }
  return probes;
}

// A claim in flight may have looked before the work came: the oldest of each line looks again.
void Dispatcher::reserve_for_looking() {
  mutex_.assert_held();
  for (const auto& [place, lines] : looking_) {
    for (const auto& [types, line] : lines.all) {
      std::vector<Door>& reserved = line.begin()->second->reserved;
      const Door door = any_door(place, *types);
      if (std::ranges::find(reserved, door) == reserved.end()) reserved.push_back(door);
    }
  }
}

// Which of the jobs a claim has taken is not known here: somebody looks for each.
void Dispatcher::pass_on(const std::vector<Door>& reserved, std::vector<WaiterRef>& next) {
  mutex_.assert_held();
  for (const Door& door : reserved) {
    std::vector<WaiterRef> taken = take_oldest(door, 1, Jobs::committed);
    if (taken.empty()) note_news(door);
    for (WaiterRef& waiter : taken) next.push_back(std::move(waiter));
  }
}

// ---- Without it -------------------------------------------------------------------------------

Entry Dispatcher::entry_for(const WaiterRef& waiter) {
  {
    MutexLock lock(mutex_);
    waiter->news = news_for(*waiter);
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
  bool forgotten = false;
  bool over = true;
  bool sooner = false;
  {
    MutexLock lock(mutex_);
    const bool joined = !waiter->looking;
    look_no_more(*waiter);
    const std::vector<Door> reserved = std::exchange(waiter->reserved, {});
    forgotten = waiter->forgotten;
    if (!forgotten && empty && !stopped_ && waiter->until > now_) {
      over = false;
      const bool was_hinted = joined && waiter->hints != hints_;
      again = !reserved.empty() || was_hinted || news_for(*waiter) != waiter->news;
      waiter->probing = waiter->probing && again;
      if (again) look_around(waiter);
      if (!again) park(waiter);
      sooner = waiter->until < next_tick_;
    }
    if (over) {
      known_.erase(waiter->ticket);
      pass_on(reserved, next);
    }
    // A probe that found work says that a reason was missed: the next oldest looks as well.
    if (waiter->probing && leased != nullptr && !empty) {
      for (const Lease& lease : leased->leases) {
        const Door door{waiter->claim.ns, lease.queue, lease.type};
        for (WaiterRef& one : take_oldest(door, 1, Jobs::committed)) {
          one->probing = true;
          next.push_back(std::move(one));
        }
      }
    }
  }
  if (sooner) ticker_.ring();
  if (again) next.push_back(waiter);
  if (forgotten && leased != nullptr) release_all(waiter->claim, *leased);
  if (over && !forgotten) waiter->answer(std::move(answered));
  try_again(next);
}

void Dispatcher::release_all(const Claim& claim, const Leased& leased) {
  for (const Lease& lease : leased.leases) {
    queue_.submit(Release{.ns = claim.ns, .job = lease.job, .token = lease.token},
                  [](const Result<Answered>&) {
                    // If this is lost too, the lease ends by itself.
                  });
  }
}

}  // namespace longshore
