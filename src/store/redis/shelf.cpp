#include "store/redis/shelf.h"

#include <algorithm>
#include <utility>

namespace longshore::redis {
namespace {

constexpr std::int64_t least_at_once = 16;
// A batch that has looked at so many elements of a queue takes what it found, and no more.
constexpr std::int64_t looked_max = 4000;

}  // namespace

void Shelf::put(const Question::Wish& wish, const Answer::Shelf& answer) {
  Known& known = known_[{wish.queue, wish.types, wish.from}];
  known.limit = wish.limit;
  known.complete = answer.complete;
  known.cut = answer.cut;
  known.lists.clear();
  for (const Answer::Row& fetched : answer.rows) {
    known.lists.push_back(fetched.list);
    Row& row = rows_[fetched.list];
    row.more = fetched.more;
    row.full = fetched.full;
    if (fetched.elements.size() < row.elements.size()) {
      row.more = true;
      continue;
    }
    row.elements = fetched.elements;
    row.places.clear();
    row.first = 0;  // others may have taken some off the head since the last look
    for (std::size_t i = 0; i < row.elements.size(); ++i) {
      // What is stale or no element of ours is nobody's, and goes with the others.
      std::optional<ReadyPlace> place;
      if (!fetched.is_stale(i)) place = parse_element(row.elements[i], fetched.list.priority);
      row.places.push_back(place.value_or(ReadyPlace{.priority = -1}));
    }
  }
}

std::optional<ReadyPlace> Shelf::next(const Claim& claim, const std::string& queue,
                                      const Start& start, const IsFree& is_free) {
  if (cut_) return std::nullopt;  // a job of a queue that the claim names earlier may come first
  const Name name{queue, claim.types, start.from};
  for (bool asked = false;; asked = true) {
    const Known& known = known_[name];
    const Found found = look(known, start.after, is_free, asked);
    if (!found.certain) {
      cut_ = known.cut || known.limit >= looked_max;
      if (cut_) return std::nullopt;
      const std::int64_t before = known.limit;
      ask_more(claim, name);
      if (known_[name].limit == before) return std::nullopt;  // nobody answers
      continue;
    }
    const auto fresh = look_fresh(name, start.after, is_free);
    if (!found.place || !fresh) return found.place ? found.place : fresh;
    return std::min(found.place, fresh);
  }
}

bool Shelf::ended_early(const Question::Wish& wish) const {
  const auto known = known_.find({wish.queue, wish.types, wish.from});
  return known != known_.end() && known->second.cut;
}

void Shelf::ask_more(const Claim& claim, const Name& name) {
  const std::int64_t limit =
      std::max({least_at_once, 2 * known_[name].limit, std::int64_t{claim.limit}});
  ask_({.queue = name.queue, .types = name.types, .from = name.from, .limit = limit});
}

// `believes_full`: whoever was asked last knew which types are full as well as this batch does.
Shelf::Found Shelf::look(const Known& known, const std::optional<ReadyPlace>& after,
                         const IsFree& is_free, bool believes_full) {
  Found found;
  if (known.limit == 0) return {.place = {}, .certain = false};
  for (const ReadyList& list : known.lists) {
    if (!is_free(list.type)) continue;
    Row& row = rows_[list];
    if (row.full && believes_full) continue;
    const auto place = look_in(row, after);
    if (place) {
      if (!found.place || *place < *found.place) found.place = place;
    } else if (row.more || row.full) {
      found.certain = false;
    }
  }
  // Lists that were not fetched come after all that were.
  if (!found.place && !known.complete) found.certain = false;
  return found;
}

std::optional<ReadyPlace> Shelf::look_in(Row& row, const std::optional<ReadyPlace>& after) {
  while (row.first < row.places.size() && !is_ready_(row.places[row.first])) ++row.first;
  for (std::size_t i = row.first; i < row.places.size(); ++i) {
    const ReadyPlace& place = row.places[i];
    if ((!after || *after < place) && is_ready_(place)) return place;
  }
  return std::nullopt;
}

std::optional<ReadyPlace> Shelf::look_fresh(const Name& name,
                                            const std::optional<ReadyPlace>& after,
                                            const IsFree& is_free) {
  std::optional<ReadyPlace> best;
  for (const auto& [list, place] : std::exchange(entered_, {})) fresh_[list].insert(place);
  for (auto& [list, places] : fresh_) {
    if (list.queue != name.queue || list.priority < name.from || !is_free(list.type)) continue;
    if (name.types && std::ranges::find(*name.types, list.type) == name.types->end()) continue;
    while (!places.empty() && !is_ready_(*places.begin())) places.erase(places.begin());
    auto place = after ? places.upper_bound(*after) : places.begin();
    while (place != places.end() && !is_ready_(*place)) ++place;
    if (place != places.end() && (!best || *place < *best)) best = *place;
  }
  return best;
}

// Of a list's elements that were fetched, those up to the last that somebody waits for no more,
// wherever the others stand. Only where stale elements ended a look: a job that the claim passes
// over keeps its place at the head, and no claim would ever come past the stale ones behind it.
std::size_t Shelf::shortened(const ReadyList& list, const Row& row) const {
  const auto is_here = [&](const auto& known) {
    return known.second.cut &&
           std::ranges::find(known.second.lists, list) != known.second.lists.end();
  };
  const bool cut = std::ranges::any_of(known_, is_here);
  std::size_t count = 0;
  for (std::size_t i = 0; i < row.places.size(); ++i) {
    if (!is_ready_(row.places[i])) {
      count = i + 1;
    } else if (!cut) {
      break;
    }
  }
  return count;
}

void Shelf::pop(WriteBack& writes, const IsReady& was_ready) const {
  for (const auto& [list, row] : rows_) {
    const std::size_t count = shortened(list, row);
    WriteBack::Front front{
        .elements = std::span(row.elements).first(count), .kept = {}, .gone = {}};
    for (std::size_t i = 0; i < count; ++i) {
      if (is_ready_(row.places[i])) {
        front.kept.push_back(row.elements[i]);
      } else {
        front.gone.push_back(row.places[i]);
        if (!was_ready(row.places[i])) ++front.stale;
      }
    }
    writes.pop(list, front);
  }
}

}  // namespace longshore::redis
