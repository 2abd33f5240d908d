// Where claims wait, and who of them is next. The lock is held wherever the dispatcher's own
// members are used.
#include <algorithm>
#include <utility>

#include "engine/waiter.h"

namespace longshore {
namespace {

// So many different sets of types are compared with one, no more: it costs a delay at worst.
constexpr int sets_compared = 8;
// Queues at which claims are probed for at once. Whoever is left out has the next turn.
constexpr std::size_t places_probed = 10'000;
// More queues times types are not told apart when work comes to one of the queues.
constexpr std::size_t news_told_apart = 64;
constexpr std::size_t news_kept = 10'000;
// Sets of so few types are found by each of them.
constexpr std::size_t few_types = 8;

bool names_few(const TypeSet& types) { return !types.any() && types.names().size() <= few_types; }

}  // namespace

void Dispatcher::enter(Waiters& waiters, const WaiterRef& waiter) {
  const TypeSetRef& types = waiter->types;
  for (const Place& place : waiter->places) {
    Lines& lines = waiters[place];
    const auto [line, is_new] = lines.all.try_emplace(types);
    line->second[waiter->ticket] = waiter;
    if (!is_new) continue;
    if (!names_few(*types)) lines.others.insert(types);
    if (!names_few(*types)) continue;
    for (const std::string& name : types->names()) lines.by_type[name].insert(types);
  }
}

void Dispatcher::leave(Waiters& waiters, const Waiter& waiter) {
  for (const Place& place : waiter.places) {
    const auto at = waiters.find(place);
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

// Of those behind a ticket.
Dispatcher::WaiterRef Dispatcher::oldest_of(const Waiters& waiters, const Door& door,
                                            Ticket after) {
  WaiterRef oldest;
  const auto at = waiters.find({door.ns, door.queue});
  if (at == waiters.end()) return oldest;
  const Lines& lines = at->second;
  const auto look_at = [&](const TypeSetRef& types) {
    const Line& line = lines.all.find(types)->second;
    const auto first = line.upper_bound(after);
    if (first == line.end() || (oldest && oldest->ticket < first->first)) return;
    oldest = first->second;
  };
  if (const auto named = lines.by_type.find(door.type); named != lines.by_type.end()) {
    for (const TypeSetRef& types : named->second) look_at(types);
  }
  for (const TypeSetRef& types : lines.others) {
    if (types->takes(door.type)) look_at(types);
  }
  return oldest;
}

// The same types, those of few that share one, and some of the others.
std::vector<Dispatcher::WaiterRef> Dispatcher::rivals(const Lines& lines, const TypeSetRef& types) {
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

Dispatcher::WaiterRef Dispatcher::oldest_rival(const Waiters& waiters, const Place& place,
                                               const Waiter& than) {
  WaiterRef oldest;
  const auto at = waiters.find(place);
  if (at == waiters.end()) return oldest;
  for (WaiterRef& rival : rivals(at->second, than.types)) {
    if (rival->ticket >= than.ticket) continue;
    if (!oldest || rival->ticket < oldest->ticket) oldest = std::move(rival);
  }
  return oldest;
}

bool Dispatcher::opens(const Door& slot, const Place& place, const TypeSet& types) {
  return slot.ns == place.ns && (slot.queue.empty() || slot.queue == place.queue) &&
         (slot.type.empty() || types.takes(slot.type));
}

Dispatcher::Door Dispatcher::any_door(const Place& place, const TypeSet& types) {
  return {place.ns, place.queue, types.names().empty() ? "" : types.names().front()};
}

// The oldest of every line that the slot may help. Which job was held back is not known here.
std::map<Dispatcher::Ticket, Dispatcher::WaiterRef> Dispatcher::oldest_for_slot(const Door& slot) {
  mutex_.assert_held();
  std::map<Ticket, WaiterRef> oldest;
  for (auto at = parked_.lower_bound({slot.ns, slot.queue}); at != parked_.end(); ++at) {
    const Place& place = at->first;
    if (place.ns != slot.ns || (!slot.queue.empty() && place.queue != slot.queue)) break;
    for (const auto& [types, line] : at->second.all) {
      if (opens(slot, place, *types)) oldest.insert(*line.begin());
    }
  }
  return oldest;
}

std::vector<Dispatcher::WaiterRef> Dispatcher::in_turn(const std::set<WaiterRef>& waiters) {
  mutex_.assert_held();
  std::vector<WaiterRef> all(waiters.begin(), waiters.end());
  std::ranges::sort(all, {}, [](const WaiterRef& waiter) { return waiter->ticket; });
  std::size_t places = 0;
  for (const WaiterRef& waiter : all) places += waiter->places.size();
  if (places <= places_probed) return all;
  const auto first = std::ranges::find_if(
      all, [this](const WaiterRef& waiter) { return waiter->ticket > probed_; });
  std::ranges::rotate(all, first);
  places = 0;
  const auto last = std::ranges::find_if(all, [&](const WaiterRef& waiter) {
    places += waiter->places.size();
    return places > places_probed;
  });
  all.erase(last, all.end());
  if (!all.empty()) probed_ = all.back()->ticket;
  std::ranges::sort(all, {}, [](const WaiterRef& waiter) { return waiter->ticket; });
  return all;
}

// Names of queues and types have no end, so what is known of them is forgotten when it is very
// much. A claim in flight then looks once more, or is tried within the second.
void Dispatcher::note_news(const Door& door) {
  mutex_.assert_held();
  if (news_.size() >= news_kept) news_.clear();
  News& news = news_[{door.ns, door.queue}];
  if (news.by_type.size() >= news_kept) news.by_type.clear();
  news.all += 1;
  news.by_type[door.type] += 1;
}

std::uint64_t Dispatcher::news_for(const Waiter& waiter) {
  mutex_.assert_held();
  const TypeSet& types = *waiter.types;
  const bool by_type =
      !types.any() && waiter.places.size() * types.names().size() <= news_told_apart;
  std::uint64_t sum = 0;
  for (const Place& place : waiter.places) {
    for (const auto& [slot, count] : slot_news_) sum += opens(slot, place, types) ? count : 0;
    const auto news = news_.find(place);
    if (news == news_.end()) continue;
    if (!by_type) sum += news->second.all;
    for (std::size_t i = 0; by_type && i < types.names().size(); ++i) {
      const auto found = news->second.by_type.find(types.names()[i]);
      if (found != news->second.by_type.end()) sum += found->second;
    }
  }
  return sum;
}

}  // namespace longshore
