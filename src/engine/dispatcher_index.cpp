// The index of waiting claims. Functions that use the dispatcher's members require its lock.
#include <algorithm>
#include <utility>

#include "engine/waiter.h"

namespace longshore {
namespace {

// At most this many type sets are compared with one; skipping others costs at most a delay.
constexpr int sets_compared = 8;
// At most this many queues are probed at once; the others follow in the next turn.
constexpr std::size_t queues_probed = 10'000;
// Claims with more queues times types react to arrivals of any type at their queues.
constexpr std::size_t arrivals_by_type_max = 64;
constexpr std::size_t arrivals_kept = 10'000;
// Sets of at most this many types are indexed by type.
constexpr std::size_t few_types = 8;

bool names_few(const TypeSet& types) { return !types.any() && types.names().size() <= few_types; }

}  // namespace

void Dispatcher::enter(Waiters& waiters, const WaiterRef& waiter) {
  const TypeSetRef& types = waiter->types;
  for (const QueueRef& queue : waiter->queues) {
    Lines& lines = waiters[queue];
    const auto [line, is_new] = lines.all.try_emplace(types);
    line->second[waiter->ticket] = waiter;
    if (!is_new) continue;
    if (!names_few(*types)) lines.others.insert(types);
    if (!names_few(*types)) continue;
    for (const std::string& name : types->names()) lines.by_type[name].insert(types);
  }
}

void Dispatcher::leave(Waiters& waiters, const Waiter& waiter) {
  for (const QueueRef& queue : waiter.queues) {
    const auto at = waiters.find(queue);
    if (at == waiters.end()) continue;
    Lines& lines = at->second;
    const auto line = lines.all.find(waiter.types);
    if (line == lines.all.end()) continue;
    line->second.erase(waiter.ticket);
    if (!line->second.empty()) continue;
    lines.all.erase(line);
    lines.others.erase(waiter.types);
    for (std::size_t i = 0; names_few(*waiter.types) && i < waiter.types->names().size(); ++i) {
      const auto named = lines.by_type.find(waiter.types->names()[i]);
      named->second.erase(waiter.types);
      if (named->second.empty()) lines.by_type.erase(named);
    }
    if (lines.all.empty()) waiters.erase(at);
  }
}

// Of the claims after a ticket.
Dispatcher::WaiterRef Dispatcher::oldest_of(const Waiters& waiters, const QueueAndType& target,
                                            Ticket after) {
  WaiterRef oldest;
  const auto at = waiters.find({target.ns, target.queue});
  if (at == waiters.end()) return oldest;
  const Lines& lines = at->second;
  const auto look_at = [&](const TypeSetRef& types) {
    const Line& line = lines.all.find(types)->second;
    const auto first = line.upper_bound(after);
    if (first == line.end() || (oldest && oldest->ticket < first->first)) return;
    oldest = first->second;
  };
  if (const auto named = lines.by_type.find(target.type); named != lines.by_type.end()) {
    for (const TypeSetRef& types : named->second) look_at(types);
  }
  for (const TypeSetRef& types : lines.others) {
    if (types->takes(target.type)) look_at(types);
  }
  return oldest;
}

// The line of the same types, lines of few types that share one, and some of the others.
std::vector<Dispatcher::WaiterRef> Dispatcher::competitors(const Lines& lines,
                                                           const TypeSetRef& types) {
  std::vector<WaiterRef> first;
  const auto note = [&](const TypeSetRef& found) {
    first.push_back(lines.all.find(found)->second.begin()->second);
  };
  if (lines.all.contains(types)) note(types);
  int compared = 0;
  for (const TypeSetRef& other : lines.others) {
    if (compared++ == sets_compared) break;
    if (other->meets(*types)) note(other);
  }
  compared = 0;
  const auto note_some = [&](const std::set<TypeSetRef>& sets) {
    for (const TypeSetRef& one : sets) {
      if (compared++ >= sets_compared) return;
      note(one);
    }
  };
  for (const std::string& name : types->names()) {
    const auto named = lines.by_type.find(name);
    if (named != lines.by_type.end()) note_some(named->second);
    if (compared >= sets_compared) break;
  }
  for (auto named = lines.by_type.begin(); types->any() && named != lines.by_type.end(); ++named) {
    note_some(named->second);
    if (compared >= sets_compared) break;
  }
  return first;
}

Dispatcher::WaiterRef Dispatcher::oldest_competitor(const Waiters& waiters, const QueueRef& queue,
                                                    const Waiter& than) {
  WaiterRef oldest;
  const auto at = waiters.find(queue);
  if (at == waiters.end()) return oldest;
  for (WaiterRef& competitor : competitors(at->second, than.types)) {
    if (competitor->ticket >= than.ticket) continue;
    if (!oldest || competitor->ticket < oldest->ticket) oldest = std::move(competitor);
  }
  return oldest;
}

bool Dispatcher::frees_slot_for(const QueueAndType& slot, const QueueRef& queue,
                                const TypeSet& types) {
  return slot.ns == queue.ns && (slot.queue.empty() || slot.queue == queue.queue) &&
         (slot.type.empty() || types.takes(slot.type));
}

Dispatcher::QueueAndType Dispatcher::any_target(const QueueRef& queue, const TypeSet& types) {
  return {queue.ns, queue.queue, types.names().empty() ? "" : types.names().front()};
}

// The oldest of every line that can use the slot. It is not known here which job waits for it.
std::map<Dispatcher::Ticket, Dispatcher::WaiterRef> Dispatcher::oldest_for_slot(
    const QueueAndType& slot) {
  mutex_.assert_held();
  std::map<Ticket, WaiterRef> oldest;
  for (auto at = parked_.lower_bound({slot.ns, slot.queue}); at != parked_.end(); ++at) {
    const QueueRef& queue = at->first;
    if (queue.ns != slot.ns || (!slot.queue.empty() && queue.queue != slot.queue)) break;
    for (const auto& [types, line] : at->second.all) {
      if (frees_slot_for(slot, queue, *types)) oldest.insert(*line.begin());
    }
  }
  return oldest;
}

std::vector<Dispatcher::WaiterRef> Dispatcher::in_turn(const std::set<WaiterRef>& waiters) {
  mutex_.assert_held();
  std::vector<WaiterRef> all(waiters.begin(), waiters.end());
  std::ranges::sort(all, {}, [](const WaiterRef& waiter) { return waiter->ticket; });
  std::size_t queues = 0;
  for (const WaiterRef& waiter : all) queues += waiter->queues.size();
  if (queues <= queues_probed) return all;
  const auto first = std::ranges::find_if(
      all, [this](const WaiterRef& waiter) { return waiter->ticket > probed_; });
  std::ranges::rotate(all, first);
  queues = 0;
  const auto last = std::ranges::find_if(all, [&](const WaiterRef& waiter) {
    queues += waiter->queues.size();
    return queues > queues_probed;
  });
  all.erase(last, all.end());
  if (!all.empty()) probed_ = all.back()->ticket;
  std::ranges::sort(all, {}, [](const WaiterRef& waiter) { return waiter->ticket; });
  return all;
}

// The number of queue and type names is unbounded, so the counters are cleared when there are too
// many. A claim in flight is then retried once more, or within a second.
void Dispatcher::note_arrival(const QueueAndType& target) {
  mutex_.assert_held();
  if (arrivals_.size() >= arrivals_kept) arrivals_.clear();
  Arrivals& arrivals = arrivals_[{target.ns, target.queue}];
  if (arrivals.by_type.size() >= arrivals_kept) arrivals.by_type.clear();
  arrivals.all += 1;
  arrivals.by_type[target.type] += 1;
}

std::uint64_t Dispatcher::arrivals_for(const Waiter& waiter) {
  mutex_.assert_held();
  const TypeSet& types = *waiter.types;
  const bool by_type =
      !types.any() && waiter.queues.size() * types.names().size() <= arrivals_by_type_max;
  std::uint64_t sum = 0;
  for (const QueueRef& queue : waiter.queues) {
    for (const auto& [slot, count] : freed_slots_)
      sum += frees_slot_for(slot, queue, types) ? count : 0;
    const auto arrivals = arrivals_.find(queue);
    if (arrivals == arrivals_.end()) continue;
    if (!by_type) sum += arrivals->second.all;
    for (std::size_t i = 0; by_type && i < types.names().size(); ++i) {
      const auto found = arrivals->second.by_type.find(types.names()[i]);
      if (found != arrivals->second.by_type.end()) sum += found->second;
    }
  }
  return sum;
}

}  // namespace longshore
