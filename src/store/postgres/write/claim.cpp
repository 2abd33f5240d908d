// What a claim may be given, and what it is given of a job.
#include <iterator>
#include <limits>
#include <utility>

#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

// As those of Starts, and a checkpoint.
const std::string load_bodies_text =
    "SELECT id, NULL, " + body_values() + " FROM @body WHERE id = ANY($1)";
const std::string load_bodies_and_checkpoints_text =
    "SELECT id, NULL, " + body_values() +
    ", (SELECT value FROM @checkpoint WHERE checkpoint.id = body.id) "
    "FROM @body AS body WHERE id = ANY($1)";

// Behind every place of its priority.
constexpr std::int64_t last_order = std::numeric_limits<std::int64_t>::max();

constexpr Sql held_by = {
    "SELECT claim, job, nth::bigint FROM @held WHERE claim = ANY($1) ORDER BY nth"};

constexpr Sql number_from_behind = {
    "UPDATE @held AS held SET nth = old.lowest - old.number FROM (SELECT ctid AS place, "
    "least((SELECT min(nth) FROM @held WHERE claim = $1), 0) AS lowest, "
    "row_number() OVER () AS number FROM @held WHERE claim = $1 AND nth >= 0) AS old "
    "WHERE held.ctid = old.place"};

// Finds rows by id. They mostly come in the order in which they are asked for.
class BodyRows {
 public:
  explicit BodyRows(std::vector<RowSet>& answers) : answers_(answers) {
    std::erase_if(answers_, [](const RowSet& rows) { return rows.count() == 0; });
  }

  // At the row, behind the id; null if there is none.
  RowSet* find(const JobId& id) {
    if (RowSet* next = at(next_); next != nullptr && next->id<JobId>() == id) {
      step(next_);
      return next;
    }
    if (places_.empty()) note_places();
    const auto known = places_.find(id);
    RowSet* rows = known == places_.end() ? nullptr : at(known->second);
    if (rows != nullptr) rows->skip();
    return rows;
  }

 private:
  struct Place {
    std::size_t answer = 0;
    int row = 0;
  };

  RowSet* at(const Place& place) {
    if (place.answer >= answers_.size()) return nullptr;
    RowSet& rows = answers_[place.answer];
    if (place.row >= rows.count()) return nullptr;
    rows.go_to(place.row);
    return &rows;
  }
  void step(Place& place) {
    if (++place.row < answers_[place.answer].count()) return;
    ++place.answer;
    place.row = 0;
  }
  void note_places() {
    for (Place place; RowSet* rows = at(place); step(place)) places_[rows->id<JobId>()] = place;
  }

  std::vector<RowSet>& answers_;
  Place next_;
  std::unordered_map<JobId, Place> places_;
};

void fill_leases(std::vector<RowSet>& bodies, std::vector<Verdict>& verdicts) {
  BodyRows rows(bodies);
  for (Verdict& verdict : verdicts) {
    Leased* leased = std::get_if<Leased>(&verdict);
    if (leased == nullptr) continue;
    for (Lease& lease : leased->leases) {
      if (!lease.body.payload.empty()) continue;
      RowSet* row = rows.find(lease.job);
      if (row == nullptr) continue;
      row->skip();
      lease.body = read_body(*row);
      if (!row->at_end()) lease.checkpoint = row->optional_text();
    }
  }
}

// A claim that is in a batch twice is answered twice, and the first answer was given the bodies.
void share_bodies(std::vector<Verdict>& verdicts) {
  std::unordered_map<JobId, const JobBody*> bodies;
  for (Verdict& verdict : verdicts) {
    Leased* leased = std::get_if<Leased>(&verdict);
    if (leased == nullptr) continue;
    for (Lease& lease : leased->leases) {
      const auto [known, is_first] = bodies.try_emplace(lease.job, &lease.body);
      if (!is_first) lease.body = *known->second;
    }
  }
}

}  // namespace

std::vector<JobId> PostgresTransaction::of_claim(const RequestId& claim) {
  std::vector<JobId> ids;
  const auto [begin, end] = claims_.equal_range(claim);
  for (auto it = begin; it != end; ++it) ids.push_back(it->second.job);
  given_before_.reset();
  if (!ids.empty()) given_before_ = claim;
  return ids;
}

const Sql& PostgresTransaction::held_by_claims() { return held_by; }

void PostgresTransaction::keep_held(RowSet& rows) {
  while (rows.next()) {
    const RequestId claim = rows.id<RequestId>();
    const JobId job = rows.id<JobId>();
    claims_.emplace(claim, Given{job, rows.integer()});
  }
}

// What was given in this transaction is not in the table yet.
bool PostgresTransaction::recollect(const RequestId& claim) {
  if (new_claims_.empty()) return false;
  Parameters parameters;
  parameters.add(ids_column(std::exchange(new_claims_, {})));
  RowSet rows = connection_.ask(held_by, std::move(parameters));
  keep_held(rows);
  return claims_.contains(claim);
}

// Of what it was given before, it holds nothing any more: a job was handed off, or its lease has
// ended. Number 0 has to be free for the job that it will hold.
void PostgresTransaction::renumber(const RequestId& claim) {
  given_before_.reset();
  flush();
  Parameters parameters;
  parameters.add(claim);
  connection_.ask(number_from_behind, std::move(parameters));
  claims_.erase(claim);
}

void PostgresTransaction::give(Entry& entry) {
  const RequestId& claim = entry.job().claim;
  const auto after = claims_.upper_bound(claim);
  const bool is_first = after == claims_.begin() || std::prev(after)->first != claim;
  entry.nth = is_first ? 0 : std::prev(after)->second.nth + 1;
  claims_.emplace_hint(after, claim, Given{entry.job().id, entry.nth});
}

Entry* PostgresTransaction::next_ready(const Claim& claim, const std::string& queue,
                                       const execute::Entry* after) {
  if (config_->is_paused(claim.ns, queue)) return nullptr;
  std::optional<ReadyPlace> place;
  if (after != nullptr) place = place_of(after->job());
  // Places at the back are given out in the order of time: behind a job that has not been queued
  // for long enough, none of its priority has.
  const bool too_young =
      claim.queued_for && after != nullptr && after->job().state == State::queued;
  if (too_young && place->order > 0) place->order = last_order;
  while (!limits_.queue_is_full(claim.ns, queue)) {
    const auto found = candidates_.next(claim, queue, place, limits_.full_types(claim.ns));
    Entry* entry = found ? find(found->job) : nullptr;
    if (entry == nullptr) return nullptr;
    if (!limits_.admits(entry->job())) continue;
    if (given_before_ == claim.id) renumber(claim.id);
    return entry;
  }
  return nullptr;
}

std::int64_t PostgresTransaction::bytes(execute::Entry& entry, bool with_checkpoint) {
  const Head& head = static_cast<Entry&>(entry).head;
  return head.body_bytes + (with_checkpoint ? head.checkpoint_bytes.value_or(0) : 0);
}

// A body that is not in memory is read when the transaction ends, and so is a checkpoint. One that
// was served is given away to the first who wants it.
void PostgresTransaction::fill(Lease& lease, execute::Entry& leased) {
  Entry& entry = static_cast<Entry&>(leased);
  if (entry.body && served_at_) {
    lease.body = std::move(*entry.body);
    entry.body.reset();
  } else if (entry.body && !entry.head.checkpoint_bytes) {
    lease.body = *entry.body;
  } else {
    wanted_bodies_.push_back(entry.job().id);
    wants_checkpoints_ = wants_checkpoints_ || entry.head.checkpoint_bytes;
  }
}

void PostgresTransaction::enqueue_bodies() {
  static const Sql load_bodies = {load_bodies_text.c_str()};
  static const Sql load_bodies_and_checkpoints = {load_bodies_and_checkpoints_text.c_str()};
  std::erase_if(wanted_bodies_, [this](const JobId& id) {
    const auto known = entries_.find(id);
    return known != entries_.end() && known->second.started;
  });
  if (wanted_bodies_.empty()) return;
  Parameters parameters;
  parameters.add(ids_column(wanted_bodies_));
  bodies_at_ = connection_.enqueue_statement(
      wants_checkpoints_ ? load_bodies_and_checkpoints : load_bodies, std::move(parameters));
}

void PostgresTransaction::read_started(std::vector<RowSet>& answers) {
  if (connection_.trouble()) return;
  for (RowSet& rows : write_back_.take_started(answers)) {
    while (rows.next()) {
      const auto known = entries_.find(rows.id<JobId>());
      if (known != entries_.end()) known->second.place = rows.optional_place();
    }
    started_.push_back(std::move(rows));
  }
}

void PostgresTransaction::read_served(std::vector<RowSet>& answers) {
  if (served_at_) candidates_.put(*optimistic_claim_, std::move(answers[*served_at_]));
}

void PostgresTransaction::hand_out(std::vector<RowSet>& answers, std::vector<Verdict>& verdicts) {
  read_started(answers);
  // What was served is in the tables as it was judged since.
  for (Entry* entry : std::exchange(dirty_, {})) write_back_.note_written(*entry);
  std::erase_if(entries_, [](const auto& known) { return !known.second.place; });
  if (!entries_.empty()) shared_.cached_jobs.put(std::move(entries_));
  if (served_at_ && !wanted_bodies_.empty()) share_bodies(verdicts);
  std::vector<RowSet> bodies = std::move(started_);
  if (bodies_at_) bodies.push_back(std::move(answers[*bodies_at_]));
  if (bodies.empty()) return;
  fill_leases(bodies, verdicts);
}

}  // namespace longshore::postgres
