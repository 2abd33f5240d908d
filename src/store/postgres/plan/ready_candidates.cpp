#include "store/postgres/plan/ready_candidates.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/postgres/plan/queue_type.h"
#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

// Each job is looked up by its id in a part that locks, which keeps the planner from making a plain
// join of it that goes through all of them. A job whose row somebody holds stays where it is.
std::string look_at_next_text() {
  return " SELECT rank, step, job.*, place FROM next LEFT JOIN LATERAL (SELECT " + queued_values() +
         ", ctid AS live_place FROM @live WHERE id = next.job AND state = 2 AND "
         "next.place IS NOT NULL OFFSET 0 FOR UPDATE SKIP LOCKED) AS job ON true";
}

// The materialized part takes no more than its limit, whatever plan the rest gets.
std::string one_row_text(const std::string& where) {
  return "WITH next AS MATERIALIZED (SELECT priority AS rank, ord AS step, job, ctid AS place "
         "FROM @ready WHERE " +
         where +
         " AND (priority, ord) > ($1::bigint::smallint, $2) ORDER BY priority, ord LIMIT $3 "
         "FOR UPDATE SKIP LOCKED)" +
         look_at_next_text();
}

// No more is locked than may be taken. What somebody holds is told without a place.
std::string merged_text(const std::string& with, const std::string& from) {
  return with + "merged AS MATERIALIZED (" +
         merged_lanes(from, " AND (priority, ord) > ($1::bigint::smallint, $2)", "$3") +
         "), next AS MATERIALIZED (SELECT rank, step, job, locked.place FROM merged "
         "LEFT JOIN LATERAL (SELECT ctid AS place FROM @ready WHERE ctid = merged.place OFFSET 0 "
         "FOR UPDATE SKIP LOCKED) AS locked ON true)" +
         look_at_next_text();
}

const std::string any_type_text = one_row_text("ns = $4 AND queue = $5");
const std::string one_type_text = one_row_text(lane_of_row + " = $4");
const std::string some_types_text = merged_text("WITH ", listed_lanes("$4"));
const std::string other_types_text =
    merged_text("WITH RECURSIVE " + lanes_between("$4", "$5") + ", ",
                "(SELECT lane FROM lanes WHERE lane <> ALL($6::bytea[])) AS lanes");

constexpr std::int64_t least_at_once = 16;
constexpr std::int64_t most_at_once = 1000;

}  // namespace

bool ReadyCandidates::Wish::takes(const std::string& type) const {
  if (types) return std::ranges::binary_search(*types, type);
  return !std::ranges::binary_search(full, type);
}

ReadyCandidates::Wish ReadyCandidates::wish_of(const Claim& claim, const std::string& queue,
                                               const std::vector<std::string>& full) {
  Wish wish{.queue = {claim.ns, queue},
            .types = claim.types,
            .full = full,
            .passes_over = claim.queued_for.has_value()};
  if (!wish.types) return wish;
  wish.types = distinct_types(std::move(*wish.types));
  std::erase_if(*wish.types,
                [&](const std::string& type) { return std::ranges::binary_search(full, type); });
  wish.full.clear();
  return wish;
}

void ReadyCandidates::enqueue_statement(std::span<const Command> commands, const Config& config) {
  std::map<Wish, std::int64_t> wishes;
  for (const Command& command : commands) {
    const Claim* claim = std::get_if<Claim>(&command);
    if (claim == nullptr) continue;
    const std::int64_t wanted = std::max(claim->limit, 0);
    wanted_ += wanted;
    for (const std::string& queue : claim->queues) {
      if (!config.restrains(claim->ns, queue)) wishes[wish_of(*claim, queue, {})] += wanted;
    }
  }
  for (const auto& [wish, wanted] : wishes) {
    const std::int64_t limit = std::min(wanted, most_at_once);
    enqueue_more(wish, Row(), limit);
    asked_.emplace_back(wish, limit);
  }
}

std::size_t ReadyCandidates::read(std::vector<RowSet>& answers, std::size_t first) {
  for (const auto& [wish, limit] : std::exchange(asked_, {})) {
    read_more(wish, rows_[wish], std::move(answers[first++]), limit);
  }
  return first;
}

void ReadyCandidates::enqueue_more(const Wish& wish, const Row& row, std::int64_t limit) {
  static const Sql any_type = {any_type_text.c_str()};
  static const Sql one_type = {one_type_text.c_str()};
  static const Sql some_types = {some_types_text.c_str()};
  static const Sql other_types = {other_types_text.c_str()};
  const auto& [ns, queue] = wish.queue;
  Parameters parameters;
  parameters.add(row.seen.rank).add(row.seen.step).add(limit);
  if (wish.types && wish.types->size() == 1) {
    parameters.add(lane_of(ns, queue, wish.types->front()));
    connection_.enqueue_statement(one_type, std::move(parameters));
  } else if (wish.types) {
    parameters.add(lanes_of(ns, queue, *wish.types));
    connection_.enqueue_statement(some_types, std::move(parameters));
  } else if (wish.full.empty()) {
    parameters.add(ns).add(queue);
    connection_.enqueue_statement(any_type, std::move(parameters));
  } else {
    parameters.add(before_lanes_of(ns, queue)).add(after_lanes_of(ns, queue));
    parameters.add(lanes_of(ns, queue, wish.full));
    connection_.enqueue_statement(other_types, std::move(parameters));
  }
}

void ReadyCandidates::read_more(const Wish& wish, Row& row, RowSet rows, std::int64_t limit) {
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
    head.job.ns = wish.queue.ns;
    head.job.queue = wish.queue.name;
    read_queued(rows, work_.usual(), head);
    row.places.push_back(place_of(head.job));
    if (entry == nullptr) continue;
    entry->place = rows.optional_place();
    entry->ready_place = rows.optional_place();
    work_.settle_in(*entry);
  }
  std::ranges::sort(row.places.begin() + known, row.places.end());
  row.exhausted = rows.count() < limit;
}

void ReadyCandidates::put(const OptimisticClaim& served, RowSet rows) {
  fresh_.clear();
  const Claim& claim = served.like();
  const Scoped queue{claim.ns, claim.queues.front()};
  Row& row = rows_[wish_of(claim, queue.name, {})];
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
    read_plain(rows, work_.usual(), served.version_before(), entry.head);
    entry.body = read_body(rows);
    work_.settle_in(entry);
    entry.place = std::move(place);
    row.places.push_back(place_of(entry.job()));
  }
  std::ranges::sort(row.places);
}

bool ReadyCandidates::is_ready(const ReadyPlace& place) {
  const Entry* entry = work_.find(place.job);
  return entry != nullptr && entry->job().state == State::queued && place_of(entry->job()) == place;
}

ReadyCandidates::Rows::value_type& ReadyCandidates::row_for(const Claim& claim,
                                                            const std::string& queue,
                                                            const std::vector<std::string>& full) {
  const auto fits = [&](const Wish& wish) {
    return wish.queue.name == queue && wish.queue.ns == claim.ns && last_types_ == claim.types &&
           last_full_ == full && wish.passes_over == claim.queued_for.has_value();
  };
  if (last_ == nullptr || !fits(last_->first)) {
    last_ = &*rows_.try_emplace(wish_of(claim, queue, full)).first;
    last_types_ = claim.types;
    last_full_ = full;
  }
  return *last_;
}

std::optional<ReadyPlace> ReadyCandidates::next(const Claim& claim, const std::string& queue,
                                                const std::optional<ReadyPlace>& after,
                                                const std::vector<std::string>& full) {
  auto& [wish, row] = row_for(claim, queue, full);
  if (wish.types && wish.types->empty()) return std::nullopt;
  const auto locked = next_locked(wish, row, after);
  const auto fresh = next_fresh(wish, after);
  if (!locked || !fresh) return locked ? locked : fresh;
  return std::min(locked, fresh);
}

std::optional<ReadyPlace> ReadyCandidates::next_locked(const Wish& wish, Row& row,
                                                       const std::optional<ReadyPlace>& after) {
  for (;;) {
    while (row.first < row.places.size() && !is_ready(row.places[row.first])) ++row.first;
    const auto begin = row.places.begin() + static_cast<std::ptrdiff_t>(row.first);
    auto place = after ? std::upper_bound(begin, row.places.end(), *after) : begin;
    // The one at `begin` is ready, if there is one.
    while (place != begin && place != row.places.end() && !is_ready(*place)) ++place;
    if (place != row.places.end()) return *place;
    if (row.exhausted || connection_.trouble()) return std::nullopt;
    if (wish.passes_over && after) {
      row.seen = std::max(row.seen, Seen{.rank = after->priority, .step = after->order});
    }
    const bool is_first = row.seen == Seen();
    const auto limit = is_first
                           ? std::clamp<std::int64_t>(wanted_, 1, most_at_once)
                           : std::clamp(2 * std::ssize(row.places), least_at_once, most_at_once);
    enqueue_more(wish, row, limit);
    std::vector<RowSet> answers = connection_.exchange();
    if (answers.empty()) return std::nullopt;
    read_more(wish, row, std::move(answers.back()), limit);
  }
}

std::optional<ReadyPlace> ReadyCandidates::next_fresh(const Wish& wish,
                                                      const std::optional<ReadyPlace>& after) {
  const auto known = fresh_.find(wish.queue);
  if (known == fresh_.end()) return std::nullopt;
  const auto wanted = [&](const ReadyPlace& place) {
    if (!is_ready(place)) return false;
    const Job& job = work_.find(place.job)->job();
    return job.queue == wish.queue.name && wish.takes(job.type);
  };
  Fresh& fresh = known->second;
  if (!std::exchange(fresh.sorted, true)) std::ranges::sort(fresh.places);
  auto place = fresh.places.begin();
  if (after) place = std::ranges::upper_bound(fresh.places, *after);
  place = std::find_if(place, fresh.places.end(), wanted);
  return place == fresh.places.end() ? std::nullopt : std::optional(*place);
}

}  // namespace longshore::postgres
