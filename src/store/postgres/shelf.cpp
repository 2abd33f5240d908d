#include "store/postgres/shelf.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/postgres/unit_of_work.h"

namespace longshore::postgres {
namespace {

// The materialized part takes no more than its limit, whatever plan the rest gets. The rest locks,
// which keeps the planner from making a plain join of it: each job is looked up by its id, so that
// no plan can go through all of them. A job whose row somebody holds stays where it is.
std::string claim_text(const std::string& types) {
  return "WITH next AS MATERIALIZED (SELECT priority AS rank, ord AS step, job, "
         "ctid AS ready_place FROM @ready WHERE ns = $1 AND queue = $2 AND (priority, ord) > "
         "($3::bigint::smallint, $4)" +
         types +
         " ORDER BY priority, ord LIMIT $5 FOR UPDATE SKIP LOCKED) "
         "SELECT rank, step, job.*, ready_place FROM next LEFT JOIN LATERAL (SELECT " +
         queued_values() +
         ", ctid AS place FROM @live WHERE id = next.job AND state = 2 OFFSET 0 "
         "FOR UPDATE SKIP LOCKED) AS job ON true";
}
const std::string any_type_text = claim_text("");
const std::string some_types_text = claim_text(" AND type = ANY($6)");

constexpr std::int64_t least_at_once = 16;
constexpr std::int64_t most_at_once = 1000;

}  // namespace

void Shelf::line_up(std::span<const Command> commands) {
  std::map<Wish, std::int64_t> wishes;
  for (const Command& command : commands) {
    const Claim* claim = std::get_if<Claim>(&command);
    if (claim == nullptr) continue;
    for (const std::string& queue : claim->queues) {
      wishes[{{claim->ns, queue}, claim->types}] += std::max(claim->limit, 0);
    }
  }
  for (const auto& [wish, wanted] : wishes) {
    const std::int64_t limit = std::min(wanted, most_at_once);
    line_up_more(wish, Row(), limit);
    asked_.emplace_back(wish, limit);
  }
}

std::size_t Shelf::read(std::vector<RowSet>& answers, std::size_t first) {
  for (const auto& [wish, limit] : std::exchange(asked_, {})) {
    read_more(wish, rows_[wish], std::move(answers[first++]), limit);
  }
  return first;
}

void Shelf::line_up_more(const Wish& wish, const Row& row, std::int64_t limit) {
  static const Sql any_type = {any_type_text.c_str()};
  static const Sql some_types = {some_types_text.c_str()};
  Parameters parameters;
  parameters.add(wish.first.ns).add(wish.first.name).add(row.seen.rank).add(row.seen.step);
  parameters.add(limit);
  if (!wish.second) {
    connection_.line_up(any_type, std::move(parameters));
    return;
  }
  Column types(Type::bytes);
  for (const std::string& type : *wish.second) types.add(type);
  parameters.add(std::move(types));
  connection_.line_up(some_types, std::move(parameters));
}

void Shelf::read_more(const Wish& wish, Row& row, RowSet rows, std::int64_t limit) {
  const std::ptrdiff_t known = std::ssize(row.places);
  Head unused;  // what is here already stays as it is
  while (rows.next()) {
    const Seen seen{.rank = rows.small(), .step = rows.integer()};
    row.seen = std::max(row.seen, seen);
    if (rows.is_null()) continue;  // somebody holds it
    const JobId id = rows.id<JobId>();
    Entry* entry = work_.room_for(id);
    Head& head = entry != nullptr ? entry->head : unused;
    head.job.id = id;
    head.job.ns = wish.first.ns;
    head.job.queue = wish.first.name;
    read_queued(rows, work_.rules().policy, head);
    row.places.push_back(place_of(head.job));
    if (entry == nullptr) continue;
    entry->place = rows.optional_place();
    entry->ready_place = rows.optional_place();
    work_.settle_in(*entry);
  }
  std::ranges::sort(row.places.begin() + known, row.places.end());
  row.exhausted = rows.count() < limit;
}

void Shelf::put(const Outright& served, RowSet rows) {
  fresh_.clear();
  const Claim& claim = served.like();
  const Scoped queue{claim.ns, claim.queues.front()};
  Row& row = rows_[{queue, claim.types}];
  row.exhausted = true;
  while (rows.next()) {
    rows.skip();
    std::optional<RowPlace> place = rows.optional_place();
    if (!place) return;  // nothing was started
    const JobId id = rows.id<JobId>();
    Entry& entry = *work_.room_for(id);
    entry.head.job.id = id;
    entry.head.job.ns = queue.ns;
    entry.head.job.queue = queue.name;
    read_plain(rows, work_.rules().policy, served.version_before(), entry.head);
    entry.body = read_body(rows);
    work_.settle_in(entry);
    entry.place = std::move(place);
    row.places.push_back(place_of(entry.job()));
  }
  std::ranges::sort(row.places);
}

bool Shelf::is_ready(const ReadyPlace& place) {
  const Entry* entry = work_.find(place.job);
  return entry != nullptr && entry->job().state == State::queued && place_of(entry->job()) == place;
}

Shelf::Rows::value_type& Shelf::row_for(const Claim& claim, const std::string& queue) {
  const auto fits = [&](const Wish& wish) {
    return wish.first.name == queue && wish.first.ns == claim.ns && wish.second == claim.types;
  };
  if (last_ == nullptr || !fits(last_->first)) {
    last_ = &*rows_.try_emplace({{claim.ns, queue}, claim.types}).first;
  }
  return *last_;
}

std::optional<ReadyPlace> Shelf::next(const Claim& claim, const std::string& queue,
                                      const std::optional<ReadyPlace>& after) {
  auto& [wish, row] = row_for(claim, queue);
  const auto locked = next_locked(wish, row, after);
  const auto fresh = next_fresh(wish, after);
  if (!locked || !fresh) return locked ? locked : fresh;
  return std::min(locked, fresh);
}

std::optional<ReadyPlace> Shelf::next_locked(const Wish& wish, Row& row,
                                             const std::optional<ReadyPlace>& after) {
  for (;;) {
    while (row.first < row.places.size() && !is_ready(row.places[row.first])) ++row.first;
    const auto begin = row.places.begin() + static_cast<std::ptrdiff_t>(row.first);
    auto place = after ? std::upper_bound(begin, row.places.end(), *after) : begin;
    // The one at `begin` is ready, if there is one.
    while (place != begin && place != row.places.end() && !is_ready(*place)) ++place;
    if (place != row.places.end()) return *place;
    if (row.exhausted || connection_.trouble()) return std::nullopt;
    const auto limit = std::clamp(2 * std::ssize(row.places), least_at_once, most_at_once);
    line_up_more(wish, row, limit);
    std::vector<RowSet> answers = connection_.exchange();
    if (answers.empty()) return std::nullopt;
    read_more(wish, row, std::move(answers.back()), limit);
  }
}

std::optional<ReadyPlace> Shelf::next_fresh(const Wish& wish,
                                            const std::optional<ReadyPlace>& after) {
  const auto known = fresh_.find(wish.first);
  if (known == fresh_.end()) return std::nullopt;
  const auto wanted = [&](const ReadyPlace& place) {
    if (!is_ready(place)) return false;
    const Entry& entry = *work_.find(place.job);
    if (entry.job().queue != wish.first.name) return false;
    return !wish.second || std::ranges::find(*wish.second, entry.job().type) != wish.second->end();
  };
  Fresh& fresh = known->second;
  if (!std::exchange(fresh.sorted, true)) std::ranges::sort(fresh.places);
  auto place = fresh.places.begin();
  if (after) place = std::ranges::upper_bound(fresh.places, *after);
  place = std::find_if(place, fresh.places.end(), wanted);
  return place == fresh.places.end() ? std::nullopt : std::optional(*place);
}

}  // namespace longshore::postgres
