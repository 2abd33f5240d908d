#include "store/postgres/write/write_back.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace longshore::postgres {
namespace {

const std::string insert_live_text = insert_heads("@live");
const std::string insert_done_text = "INSERT INTO @done(" + head_columns() +
                                     ", result) SELECT * FROM unnest($1::@job_row[], $2::bytea[])";
const std::string update_live_text = update_live();
const std::string update_placed_text = update_live_in_place();
const std::string update_done_text = update_done();
const std::string move_text = move_to_done();

constexpr Sql delete_live = {"DELETE FROM @live WHERE id = ANY($1)"};
constexpr Sql delete_placed = {"DELETE FROM @live WHERE ctid = ANY($1)"};
constexpr Sql delete_done = {"DELETE FROM @done WHERE id = ANY($1)"};
constexpr Sql set_results = {
    "UPDATE @done AS job SET result = new.result FROM unnest($1::uuid[], $2::bytea[]) "
    "AS new(id, result) WHERE job.id = new.id"};
// Without looking for conflicts, which costs as much as inserting.
constexpr Sql insert_bodies = {"INSERT INTO @body SELECT * FROM unnest($1::@body_row[])"};
constexpr Sql insert_held = {"INSERT INTO @held SELECT * FROM unnest($1::@held_row[])"};
constexpr Sql upsert_bodies = {
    "INSERT INTO @body SELECT * FROM unnest($1::@body_row[]) ON CONFLICT (id) DO UPDATE SET "
    "payload = excluded.payload, "
    "tags = excluded.tags, metadata = excluded.metadata, request = excluded.request, "
    "traceparent = excluded.traceparent"};
constexpr Sql upsert_checkpoints = {
    "INSERT INTO @checkpoint SELECT * FROM unnest($1::uuid[], $2::bytea[]) "
    "ON CONFLICT (id) DO UPDATE SET value = excluded.value"};
constexpr Sql delete_checkpoints = {"DELETE FROM @checkpoint WHERE id = ANY($1)"};
constexpr Sql delete_bodies = {"DELETE FROM @body WHERE id = ANY($1)"};
constexpr Sql delete_failures = {"DELETE FROM @failure WHERE id = ANY($1)"};
constexpr Sql delete_logs = {"DELETE FROM @log WHERE id = ANY($1)"};

// One look-up for each order: with a list of orders, a plan may go through the whole queue.
constexpr Sql delete_ready = {
    "DELETE FROM @ready WHERE ctid = ANY(ARRAY(SELECT place FROM unnest($4::bigint[]) AS old(ord), "
    "LATERAL (SELECT ctid AS place FROM @ready AS ready WHERE ns = $1 AND queue = $2 AND "
    "priority = $3::bigint::smallint AND ready.ord = old.ord OFFSET 0) AS found))"};
// Whoever claims the job may wait for its row, which this transaction has, so that it is not waited
// for in return: the transaction fails, and waits when it is tried again. By then the claim has the
// row, or the job is not ready.
constexpr Sql delete_ready_at_once = {
    "WITH gone AS (DELETE FROM @ready WHERE ctid = ANY(ARRAY(SELECT place "
    "FROM unnest($4::bigint[]) AS old(ord), LATERAL (SELECT ctid AS place FROM @ready AS ready "
    "WHERE ns = $1 AND queue = $2 AND priority = $3::bigint::smallint AND ready.ord = old.ord "
    "OFFSET 0 FOR UPDATE SKIP LOCKED) AS found)) RETURNING 1) "
    "SELECT (CASE WHEN count(*) = cardinality($4) THEN '1' "
    "ELSE 'somebody claims the job; Longshore starts over' END)::int FROM gone"};
constexpr Sql delete_ready_placed = {"DELETE FROM @ready WHERE ctid = ANY($1)"};
constexpr Sql insert_ready = {"INSERT INTO @ready SELECT * FROM unnest($1::@ready_row[])"};
// By the list of claims; the question in brackets is asked of each row found.
constexpr Sql delete_held = {
    "DELETE FROM @held WHERE claim = ANY($1) AND (job IN (SELECT unnest($2::uuid[]))) IS TRUE"};
constexpr Sql update_held = {
    "UPDATE @held AS held SET wakes_at = new.wakes_at, running = new.running "
    "FROM unnest($1::@held_row[]) AS new, LATERAL (SELECT ctid AS place FROM @held AS old "
    "WHERE old.claim = new.claim AND old.job = new.job OFFSET 0) AS found "
    "WHERE held.ctid = found.place"};
constexpr Sql delete_timers = {
    "DELETE FROM @timer WHERE job = ANY($1) AND kind = $2::bigint::smallint"};
constexpr Sql insert_timers = {
    "INSERT INTO @timer SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::uuid[])"};
// Most batches know only one queue, and one row is sooner written than a list of one.
const std::string add_to_one_text = add_counts_text(1);
const std::string add_to_many_text =
    "INSERT INTO @tally AS known SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], "
    "$4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], "
    "$10::bigint[], $11::bigint[], $12::bigint[]) ORDER BY 2, 3, 1" +
    adding_to_known();

Parameters taken(Column& column) {
  Parameters parameters;
  const Type type = column.type();
  parameters.add(std::exchange(column, Column(type)));
  return parameters;
}

Parameters taken(Records& records) {
  Parameters parameters;
  parameters.add(records);
  return parameters;
}

template <class... Columns>
Parameters taken(Column& first, Columns&... rest) {
  Parameters parameters = taken(first);
  (parameters.add(std::exchange(rest, Column(rest.type()))), ...);
  return parameters;
}

// The tables agree with it, as entry.stored says.
void forget_changes(Entry& entry) {
  entry.stored_queue.clear();
  entry.stored_version = entry.job().version;
  entry.dirty = entry.rewritten = entry.aside_changed = false;
  entry.result_changed = entry.body_changed = entry.checkpoint_changed = false;
  entry.ready_place.reset();
  if (entry.stored.home == Home::live) entry.whole_history = false;
  if (!entry.whole_history) entry.head.history.clear();
}

void add_to(std::array<std::int64_t, state_count>& counts, State state, std::int64_t by) {
  counts[static_cast<std::size_t>(state)] += by;
}

constexpr Type b = Type::bytes;
constexpr Type n = Type::integer;
constexpr Type u = Type::uuid;
constexpr std::array body_types = {u, b, b, b, b, b};
constexpr std::array ready_types = {b, b, Type::small, n, u, b};
constexpr std::array held_types = {u, n, u, b, b, b, Type::boolean, Type::small};

}  // namespace

const std::vector<std::string>& record_types() {
  static const std::vector<std::string> names = {"job_row", "living_row", "body_row", "ready_row",
                                                 "held_row"};
  return names;
}

WriteBack::WriteBack(Connection& connection, const RulesRecord& store)
    : connection_(connection),
      store_(store),
      inserted_live_(HeadRows::Extent::whole, store.usual),
      placed_live_(HeadRows::Extent::living, store.usual),
      updated_live_(HeadRows::Extent::living, store.usual),
      moved_(HeadRows::Extent::living, store.usual),
      inserted_done_(HeadRows::Extent::whole, store.usual),
      updated_done_(HeadRows::Extent::living, store.usual),
      bodies_("body_row", body_types),
      changed_bodies_("body_row", body_types),
      ready_("ready_row", ready_types),
      held_("held_row", held_types),
      changed_held_("held_row", held_types),
      stopped_timers_{Column(u), Column(u), Column(u)},
      timers_{Column(n), Column(n), Column(u)} {}

void WriteBack::add(Entry& entry) {
  const Placement from = std::exchange(entry.stored, placement_of(entry.job(), store_.rules));
  entry.started = starts_.take(from, entry);
  const bool ended = !entry.started && endings_.take(from, entry);
  if (!entry.started && !ended && !arrivals_.take(from, entry)) add_alone(from, entry);
  if (ended && std::exchange(entry.remembered, false)) ++proved_;
  count(from, entry);
  entry.place.reset();
  forget_changes(entry);
}

void WriteBack::note_written(Entry& entry) const {
  entry.stored = placement_of(entry.job(), store_.rules);
  forget_changes(entry);
}

void WriteBack::add_alone(const Placement& from, const Entry& entry) {
  wrote_alone_ = true;
  const Placement& to = entry.stored;
  add_row(entry, from.home, to.home);
  add_parts(entry, from.home == Home::none);
  move_ready(from, entry);
  move_held(from, entry);
  move_timers(from, to, entry.job().id);
}

void WriteBack::add_row(const Entry& entry, Home from, Home to) {
  const JobId& id = entry.job().id;
  if (from == Home::live && !entry.whole_history) return add_changes(entry, to);
  if (from == Home::done && to == Home::done && !entry.rewritten) {
    updated_done_.add(entry.head);
    if (!entry.result_changed) return;
    result_ids_.add(id);
    results_.add(entry.result);
    return;
  }
  if (from == Home::live && entry.place) deleted_places_.add(*entry.place);
  if (from == Home::live && !entry.place) deleted_live_.add(id);
  if (from == Home::done) deleted_done_.add(id);
  if (to == Home::live) {
    inserted_live_.add(entry.head);
  } else {
    inserted_done_.add(entry.head);
    inserted_results_.add(entry.result);
  }
}

// To a row in live, which has the rest of the history.
void WriteBack::add_changes(const Entry& entry, Home to) {
  if (to == Home::done) {
    moved_.add(entry.head);
    moved_results_.add(entry.result);
  } else if (entry.place) {
    placed_live_.add(entry.head);
    places_.add(*entry.place);
  } else {
    updated_live_.add(entry.head);
  }
}

void WriteBack::add_parts(const Entry& entry, bool is_new) {
  const JobId& id = entry.job().id;
  if (entry.body_changed) {
    const JobBody& body = *entry.body;
    Records& bodies = is_new ? bodies_ : changed_bodies_;
    bodies.add(id).add(body.payload).add(list_text(body.tags)).add(body.metadata);
    bodies.add(body.request).add(body.traceparent);
  }
  if (entry.checkpoint_changed) {
    if (entry.checkpoint) {
      checkpoint_ids_.add(id);
      checkpoints_.add(*entry.checkpoint);
    } else {
      dropped_checkpoints_.add(id);
    }
  }
}

void WriteBack::move_ready(const Placement& from, const Entry& entry) {
  const Placement& to = entry.stored;
  const Job& job = entry.job();
  if (from.ready == to.ready && entry.queue_in_tables() == job.queue) return;
  if (from.ready && entry.ready_place) {
    unready_places_.add(*entry.ready_place);
  } else if (from.ready) {
    const std::pair queue{Scoped{job.ns, entry.queue_in_tables()}, from.ready->priority};
    unready_.try_emplace(queue, Column(n)).first->second.add(from.ready->order);
  }
  if (to.ready) {
    ready_.add(job.ns).add(job.queue).add(to.ready->priority).add(to.ready->order);
    ready_.add(job.id).add(job.type);
  }
}

void WriteBack::move_held(const Placement& from, const Entry& entry) {
  const Placement& to = entry.stored;
  const Job& job = entry.job();
  if (from.held == to.held) return;
  const bool same_claim = from.held && to.held && from.held->claim == to.held->claim;
  if (from.held && !same_claim) {
    unheld_claims_.add(from.held->claim);
    unheld_.add(job.id);
  }
  if (!to.held) return;
  Records& held = same_claim ? changed_held_ : held_;
  held.add(job.id).add(to.held->wakes_at).add(to.held->claim);
  held.add(job.ns).add(job.queue).add(job.type).add(to.held->running).add(entry.nth);
}

void WriteBack::move_timers(const Placement& from, const Placement& to, const JobId& id) {
  for (std::size_t kind = 0; kind < timer_kinds; ++kind) {
    if (from.timers[kind] == to.timers[kind]) continue;
    if (from.timers[kind]) stopped_timers_[kind].add(id);
    if (!to.timers[kind]) continue;
    timers_[0].add(static_cast<int>(kind));
    timers_[1].add(*to.timers[kind]);
    timers_[2].add(id);
  }
}

WriteBack::StateCounts& WriteBack::counts_of(const std::string& ns, const std::string& queue) {
  if (last_counted_ == nullptr || last_counted_->first.name != queue ||
      last_counted_->first.ns != ns) {
    last_counted_ = &*counts_.try_emplace({ns, queue}).first;
  }
  return last_counted_->second;
}

void WriteBack::count(const Placement& from, const Entry& entry) {
  const Job& job = entry.job();
  StateCounts& counts = counts_of(job.ns, job.queue);
  add_to(counts, entry.stored.counted, +1);
  if (from.home == Home::none) return;
  const bool stayed = entry.stored_queue.empty();
  add_to(stayed ? counts : counts_of(job.ns, entry.stored_queue), from.counted, -1);
}

void WriteBack::remove(const Entry& entry) {
  const Job& job = entry.job();
  removed_.add(job.id);
  if (entry.stored.home == Home::none) return;
  add_to(counts_of(job.ns, entry.queue_in_tables()), entry.stored.counted, -1);
}

void WriteBack::enqueue_statement() {
  const BulkWriteOptions terms{.usual = store_.usual, .from_sequence = from_sequence_};
  arrivals_.enqueue_statement(connection_, terms);
  started_at_ = starts_.enqueue_statement(connection_, terms);
  endings_.enqueue_statement(connection_, terms);
  enqueue_rows();
  enqueue_parts();
  enqueue_places();
}

void WriteBack::enqueue_single_statement(SingleStatement single) {
  std::tie(single.queue, single.counts) = *counts_.begin();
  const BulkWriteOptions terms{
      .usual = store_.usual, .from_sequence = from_sequence_, .single = &single};
  arrivals_.enqueue_statement(connection_, terms);
  endings_.enqueue_statement(connection_, terms);
}

std::vector<RowSet> WriteBack::take_started(std::vector<RowSet>& answers) {
  std::vector<RowSet> started;
  for (const std::size_t at : std::exchange(started_at_, {})) {
    started.push_back(std::move(answers[at]));
  }
  return started;
}

void WriteBack::enqueue_rows() {
  static const Sql insert_live = {insert_live_text.c_str()};
  static const Sql insert_done = {insert_done_text.c_str()};
  static const Sql update_live = {update_live_text.c_str()};
  static const Sql update_placed = {update_placed_text.c_str()};
  static const Sql update_done = {update_done_text.c_str()};
  static const Sql move = {move_text.c_str()};
  if (!deleted_places_.empty())
    connection_.enqueue_statement(delete_placed, taken(deleted_places_));
  if (!deleted_live_.empty()) connection_.enqueue_statement(delete_live, taken(deleted_live_));
  if (!deleted_done_.empty()) connection_.enqueue_statement(delete_done, taken(deleted_done_));
  if (!inserted_live_.empty()) connection_.enqueue_statement(insert_live, inserted_live_.take());
  if (!placed_live_.empty()) {
    Parameters parameters = placed_live_.take();
    parameters.add(std::exchange(places_, Column(Type::place)));
    connection_.enqueue_statement(update_placed, std::move(parameters));
  }
  if (!updated_live_.empty()) connection_.enqueue_statement(update_live, updated_live_.take());
  if (!moved_.empty()) {
    Parameters parameters = moved_.take();
    parameters.add(std::exchange(moved_results_, Column(b)));
    connection_.enqueue_statement(move, std::move(parameters));
  }
  if (!inserted_done_.empty()) {
    Parameters parameters = inserted_done_.take();
    parameters.add(std::exchange(inserted_results_, Column(b)));
    connection_.enqueue_statement(insert_done, std::move(parameters));
  }
  if (!updated_done_.empty()) connection_.enqueue_statement(update_done, updated_done_.take());
  if (!result_ids_.empty())
    connection_.enqueue_statement(set_results, taken(result_ids_, results_));
}

void WriteBack::enqueue_parts() {
  if (!bodies_.empty()) connection_.enqueue_statement(insert_bodies, taken(bodies_));
  if (!changed_bodies_.empty())
    connection_.enqueue_statement(upsert_bodies, taken(changed_bodies_));
  if (!dropped_checkpoints_.empty()) {
    connection_.enqueue_statement(delete_checkpoints, taken(dropped_checkpoints_));
  }
  if (!checkpoint_ids_.empty()) {
    connection_.enqueue_statement(upsert_checkpoints, taken(checkpoint_ids_, checkpoints_));
  }
  if (removed_.empty()) return;
  const Parameters ids = taken(removed_);
  for (const Sql* sql :
       {&delete_done, &delete_bodies, &delete_checkpoints, &delete_failures, &delete_logs}) {
    connection_.enqueue_statement(*sql, ids);
  }
}

void WriteBack::enqueue_places() {
  if (!unready_places_.empty())
    connection_.enqueue_statement(delete_ready_placed, taken(unready_places_));
  for (auto& [queue, orders] : std::exchange(unready_, {})) {
    Parameters parameters;
    parameters.add(queue.first.ns).add(queue.first.name).add(queue.second).add(std::move(orders));
    connection_.enqueue_statement(waits_ ? delete_ready : delete_ready_at_once,
                                  std::move(parameters));
  }
  if (!ready_.empty()) connection_.enqueue_statement(insert_ready, taken(ready_));
  if (!unheld_.empty()) connection_.enqueue_statement(delete_held, taken(unheld_claims_, unheld_));
  if (!held_.empty()) connection_.enqueue_statement(insert_held, taken(held_));
  if (!changed_held_.empty()) connection_.enqueue_statement(update_held, taken(changed_held_));
  for (std::size_t kind = 0; kind < timer_kinds; ++kind) {
    if (stopped_timers_[kind].empty()) continue;
    Parameters parameters = taken(stopped_timers_[kind]);
    parameters.add(static_cast<int>(kind));
    connection_.enqueue_statement(delete_timers, std::move(parameters));
  }
  if (!timers_[0].empty()) {
    connection_.enqueue_statement(insert_timers, taken(timers_[0], timers_[1], timers_[2]));
  }
}

void WriteBack::enqueue_counts(int slot, const std::optional<Scoped>& last) {
  static const Sql add_to_one = {add_to_one_text.c_str()};
  static const Sql add_to_many = {add_to_many_text.c_str()};
  last_counted_ = nullptr;
  std::erase_if(counts_, [](const auto& queue) {
    return std::ranges::all_of(queue.second, [](std::int64_t by) { return by == 0; });
  });
  Counts later;
  while (last && !counts_.empty() && *last < counts_.rbegin()->first) {
    later.insert(counts_.extract(std::prev(counts_.end())));
  }
  if (counts_.size() == 1) {
    const auto& [queue, counts] = *counts_.begin();
    Parameters parameters;
    parameters.add(slot).add(queue.ns).add(queue.name);
    for (const std::int64_t by : counts) parameters.add(by);
    connection_.enqueue_statement(add_to_one, std::move(parameters));
  } else if (!counts_.empty()) {
    connection_.enqueue_statement(add_to_many, counts_of_many(slot));
  }
  counts_ = std::move(later);
}

Parameters WriteBack::counts_of_many(int slot) const {
  Column slots(n), ns(b), queues(b);
  std::array<Column, state_count> states = {Column(n), Column(n), Column(n), Column(n), Column(n),
                                            Column(n), Column(n), Column(n), Column(n)};
  for (const auto& [queue, counts] : counts_) {
    slots.add(slot);
    ns.add(queue.ns);
    queues.add(queue.name);
    for (std::size_t i = 0; i < states.size(); ++i) states[i].add(counts[i]);
  }
  Parameters parameters = taken(slots, ns, queues);
  for (Column& column : states) parameters.add(std::move(column));
  return parameters;
}

}  // namespace longshore::postgres
