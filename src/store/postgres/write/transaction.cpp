#include "store/postgres/write/transaction.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/policy/policy.h"
#include "core/record/history_text.h"
#include "core/rules/enqueue.h"
#include "core/rules/job_events.h"

namespace longshore::postgres {
namespace {

// A list is looked up in the order of the index, so that rows are locked in the order of ids.
const std::string load_live_text =
    "SELECT " + head_values_but_history() + ", ctid FROM @live WHERE id = ANY($1) FOR UPDATE";
const std::string load_done_text =
    "SELECT " + head_values("done") + ", NULL FROM @done WHERE id = ANY($1) FOR UPDATE";
constexpr Sql load_history = {"SELECT history FROM @every_job WHERE id = $1"};
constexpr Sql latest_of_key = {
    "SELECT id FROM @done WHERE ns = $1 AND type = $2 AND job_key = $3 "
    "ORDER BY number DESC LIMIT 1"};
const std::string load_body_text = "SELECT " + body_values() + " FROM @body WHERE id = $1";
constexpr Sql next_steps = {"SELECT nextval('@step')"};
constexpr std::int64_t steps_at_once = 1000;

// The text without what keep_both_ends would drop.
std::string trimmed_history(std::string text) {
  const auto lines = std::ranges::count(text, '\n');
  const auto excess = lines - (history_head_kept + history_tail_kept);
  if (excess <= 0) return text;
  std::size_t begin = 0;
  for (int i = 0; i < history_head_kept; ++i) begin = text.find('\n', begin) + 1;
  std::size_t end = begin;
  for (std::ptrdiff_t i = 0; i < excess; ++i) end = text.find('\n', end) + 1;
  text.erase(begin, end - begin);
  return text;
}

}  // namespace

PostgresTransaction::PostgresTransaction(Connection& connection, Shared& shared, Instant floor)
    : connection_(connection),
      shared_(shared),
      config_(shared.config.get()),
      now_(floor),
      keys_(connection),
      side_writes_(connection),
      write_back_(connection, *shared.opened),
      candidates_(*this, connection),
      limits_(*this, connection) {}

const Sql& PostgresTransaction::load_live() {
  static const Sql sql = {load_live_text.c_str()};
  return sql;
}

const Sql& PostgresTransaction::load_done() {
  static const Sql sql = {load_done_text.c_str()};
  return sql;
}

Entry* PostgresTransaction::find(const JobId& id) {
  auto known = entries_.find(id);
  if (known == entries_.end() && !is_absent(id)) {
    load(std::span(&id, 1));
    known = entries_.find(id);
  }
  return known == entries_.end() ? nullptr : &known->second;
}

bool PostgresTransaction::is_absent(const JobId& id) const {
  return std::ranges::binary_search(fresh_, id) || absent_.contains(id);
}

// A job that ended between the two questions is found by the
// second; one that was reopened between them is found by asking once more.
void PostgresTransaction::load(std::span<const JobId> wanted) {
  std::vector<JobId> ids;
  std::ranges::copy_if(wanted, std::back_inserter(ids),
                       [&](const JobId& id) { return !entries_.contains(id) && !is_absent(id); });
  if (ids.empty()) return;
  if (moment_at_) return begin_anew();
  const int rounds = rules().terminal == Rules::Terminal::reopen ? 2 : 1;
  for (int round = 0; round < rounds; ++round) {
    for (const Sql* sql : {&load_live(), &load_done()}) {
      Parameters parameters;
      parameters.add(ids_column(ids));
      connection_.enqueue_statement(*sql, std::move(parameters));
    }
    for (RowSet& rows : connection_.exchange()) keep_all(std::move(rows));
    std::erase_if(ids, [&](const JobId& id) { return entries_.contains(id); });
    if (ids.empty()) return;
  }
  absent_.insert(ids.begin(), ids.end());
}

std::vector<JobId> PostgresTransaction::keep_all(RowSet rows) {
  std::vector<JobId> ids;
  while (rows.next()) {
    Head head = read_head(rows, usual());
    ids.push_back(head.job.id);
    keep(std::move(head), rows.optional_place());
  }
  return ids;
}

Entry& PostgresTransaction::keep(Head head, std::optional<RowPlace> place) {
  Entry* entry = room_for(head.job.id);
  if (entry == nullptr) return entries_.at(head.job.id);
  entry->head = std::move(head);
  entry->place = std::move(place);
  settle_in(*entry);
  return *entry;
}

Entry* PostgresTransaction::room_for(const JobId& id) {
  const auto [known, is_new] = entries_.try_emplace(id);
  return is_new ? &known->second : nullptr;
}

// What a row says was so when it was written, and the store's time does not go back behind it.
void PostgresTransaction::settle_in(Entry& entry) {
  entry.stored = placement_of(entry.job(), rules());
  entry.stored_version = entry.job().version;
  entry.whole_history = entry.stored.home == Home::done;
  now_ = std::max(now_, entry.job().updated_at);
  absent_.erase(entry.job().id);
}

Entry* PostgresTransaction::find_holder(const execute::JobKeyRef& wanted, const JobId& otherwise) {
  constexpr int patience = 10;
  const JobKey key{wanted.ns, wanted.type, wanted.key};
  for (int i = 0; i < patience && !connection_.trouble(); ++i) {
    const auto holder = keys_.find(key, otherwise);
    // Whoever held the key until now may have ended after the time was asked.
    now_ = std::max(now_, keys_.key_asked_at());
    if (!holder) return nullptr;
    Entry* entry = find(*holder);
    if (entry != nullptr && !is_terminal(entry->job().state)) return entry;
    keys_.forget(key);
  }
  connection_.give_up(
      {.kind = StickyError::Kind::again, .message = "a job key keeps changing hands"});
  return nullptr;
}

Entry* PostgresTransaction::find_by_key(const execute::JobKeyRef& wanted) {
  const JobKey key{wanted.ns, wanted.type, wanted.key};
  if (const auto holder = keys_.look(key)) {
    Entry* entry = find(*holder);
    if (entry != nullptr && !is_terminal(entry->job().state)) return entry;
    keys_.forget(key);
  }
  flush();
  Parameters parameters;
  parameters.add(key.ns).add(key.type).add(key.key);
  RowSet row = connection_.ask(latest_of_key, std::move(parameters));
  return row.next() ? find(row.id<JobId>()) : nullptr;
}

std::optional<KeyView> PostgresTransaction::find_key(const execute::IdempotencyRef& key,
                                                     const execute::Binding& otherwise) {
  const auto bound = keys_.find({key.ns, key.platform, key.key},
                                {.job = otherwise.job, .body_hash = otherwise.body_hash});
  if (!bound) return std::nullopt;
  KeyView view{.job = bound->job, .last_status = bound->last_status, .body_hash = bound->body_hash};
  if (const Entry* entry = find(bound->job)) view.last_status = status_of(entry->job());
  return view;
}

void PostgresTransaction::bind_key(const execute::IdempotencyRef& key, const execute::Binding& to) {
  keys_.bind({key.ns, key.platform, key.key}, {.job = to.job, .body_hash = to.body_hash});
  wrote_ = true;
  const Entry* entry = find(to.job);
  const bool named = entry != nullptr && entry->job().idempotency_key == key.key &&
                     is_platform_type(entry->job().type) == key.platform;
  if (named) return;
  extra_job_.add(to.job);
  extra_ns_.add(key.ns);
  extra_platform_.add(key.platform);
  extra_key_.add(key.key);
}

const JobBody& PostgresTransaction::body(execute::Entry& entry) {
  static const Sql load_body = {load_body_text.c_str()};
  auto& body = static_cast<Entry&>(entry).body;
  if (!body) {
    Parameters parameters;
    parameters.add(entry.job().id);
    RowSet row = connection_.ask(load_body, std::move(parameters));
    body = row.next() ? read_body(row) : JobBody();
  }
  return *body;
}

Entry& PostgresTransaction::apply(Change&& change) {
  const JobId id = change.after.id;
  // A job that has no number yet is new; nobody need look for it in the tables.
  Entry* entry = change.after.number == 0 ? nullptr : find(id);
  if (entry == nullptr) {
    entry = &entries_[id];
    absent_.erase(id);
  }
  const int attempt_before = entry->job().attempt;
  append_job_events(*events_, entry->job(), change);
  const bool moved = !change.transitions.empty();
  place(*entry, std::move(change.after), change.place, moved);
  write_parts(*entry, change, attempt_before);
  const Job& job = entry->job();
  if (moved && job.state == State::queued) {
    hint(job.ns, job.queue);
    candidates_.enter(hinted_, place_of(job));
  }
  mark_dirty(*entry);
  return *entry;
}

void PostgresTransaction::place(Entry& entry, Job&& after, Place place, bool moved) {
  Job& job = entry.job();
  const bool is_new = job.number == 0;
  after.number = is_new ? next_step_of_new() : job.number;
  after.order = job.order;
  if (place == Place::back) after.order = is_new ? next_step_of_new() : next_step();
  if (place == Place::front) after.order = -next_step();
  if (moved && is_terminal(after.state)) {
    after.prune_after =
        resolve_prune_after(status_of(after), after.updated_at, config_->type(after.ns, after.type),
                            config_->queue(after.ns, after.queue), rules().retention);
  }
  if (after.order != job.order || after.run_at != job.run_at ||
      after.successor_id != job.successor_id) {
    entry.aside_changed = true;
  }
  if (!is_new && after.content != job.content) entry.rewritten = true;
  if (!is_new && after.queue != job.queue && entry.stored_queue.empty()) {
    entry.stored_queue = job.queue;
  }
  if (!is_new && is_terminal(job.state) && !is_terminal(after.state)) entry.rewritten = true;
  if (!is_new && job.state == State::running) limits_.count(job, -1);
  const bool held_key = !is_new && !job.job_key.empty() && !is_terminal(job.state);
  const bool is_given = after.claim != job.claim || job.state != State::running;
  job = std::move(after);
  if (job.state == State::running) {
    limits_.count(job, +1);
    if (is_given) give(entry);
  }
  if (job.job_key.empty()) return;
  const JobKey key{job.ns, job.type, job.job_key};
  if (!is_terminal(job.state)) {
    if (!held_key) keys_.hold(key, job.id);
  } else if (held_key) {
    keys_.release(key, job.id);
  }
}

void PostgresTransaction::write_parts(Entry& entry, Change& change, int attempt_before) {
  Head& head = entry.head;
  const JobId& id = head.job.id;
  side_writes_.append_log(id, attempt_before, change.log, change.log_id);
  if (change.error && change.list_error)
    side_writes_.add_failure(head.job, *change.error, next_step());
  if (change.result || change.drop_result) {
    entry.result = std::move(change.result);
    entry.result_changed = true;
  }
  if (change.checkpoint || (change.drop_checkpoint && head.checkpoint_bytes)) {
    entry.checkpoint = std::move(change.checkpoint);
    entry.checkpoint_changed = true;
    head.checkpoint_bytes.reset();
    if (entry.checkpoint) head.checkpoint_bytes = std::ssize(*entry.checkpoint);
  }
  if (change.error || (change.drop_error && head.error)) entry.aside_changed = true;
  if (change.drop_error) head.error.reset();
  if (change.error) head.error = std::move(change.error);
  if (change.body) {
    entry.body = std::move(change.body);
    entry.body_changed = true;
    entry.rewritten = entry.rewritten || entry.stored.home != Home::none;
    head.body_bytes = bytes_of(*entry.body);
  }
  const bool too_long =
      !change.transitions.empty() && head.job.history_count > history_head_kept + history_tail_kept;
  if (too_long || entry.rewritten || entry.stored.home == Home::done) complete_history(entry);
  append_history(head.history, change.transitions);
  if (too_long) head.history = Lines(trimmed_history(head.history.text()));
}

void PostgresTransaction::append_history(Lines& history, const std::vector<Transition>& moves) {
  if (moves != last_moves_) {
    std::string text;
    for (const Transition& move : moves) append_transition(text, move);
    last_lines_ = Lines(std::move(text));
    last_moves_ = moves;
  }
  history.append(last_lines_);
}

void PostgresTransaction::complete_history(Entry& entry) {
  if (std::exchange(entry.whole_history, true)) return;
  Parameters parameters;
  parameters.add(entry.job().id);
  RowSet row = connection_.ask(load_history, std::move(parameters));
  if (!row.next()) return;
  Lines whole(row.text());
  whole.append(entry.head.history);
  entry.head.history = std::move(whole);
}

void PostgresTransaction::hint(const std::string& ns, const std::string& queue) {
  if (hinted_.name == queue && hinted_.ns == ns) return;
  hinted_ = {.ns = ns, .name = queue};
  hints_.insert(ns + "/" + queue);
}

void PostgresTransaction::mark_dirty(Entry& entry) {
  wrote_ = true;
  if (std::exchange(entry.dirty, true)) return;
  dirty_.push_back(&entry);
}

void PostgresTransaction::remove(Entry& entry) {
  wrote_ = true;
  write_back_.remove(entry);
  const JobId id = entry.job().id;
  absent_.insert(id);
  entries_.erase(id);
}

void PostgresTransaction::record_audit(const Actor& actor, const std::string& ns,
                                       const std::string& action, const std::string& target) {
  wrote_ = true;
  side_writes_.add_audit(
      next_step(), {.at = now_, .ns = ns, .actor = actor, .action = action, .target = target});
}

void PostgresTransaction::begin_anew() {
  connection_.give_up(
      {.kind = StickyError::Kind::again, .message = "more has to be asked for first"});
}

std::int64_t PostgresTransaction::next_step() {
  if (moment_at_) begin_anew();
  return next_step_of_new();
}

std::int64_t PostgresTransaction::next_step_of_new() {
  if (step_ == step_end_) {
    if (moment_at_) begin_anew();
    RowSet row = connection_.ask(next_steps);
    step_ = row.next() ? row.integer() : 1;
    step_end_ = step_ + steps_at_once;
  }
  return step_++;
}

void PostgresTransaction::load_config_if(std::int64_t version) {
  if (config_->version == version) return;
  auto loaded = std::make_shared<const Config>(load_config(connection_, config_->rules));
  if (connection_.trouble()) return;
  config_ = loaded;
  shared_.config.put(std::move(loaded));
}

void PostgresTransaction::lock_config() { load_config_if(postgres::lock_config(connection_)); }

void PostgresTransaction::configured(Config config) {
  wrote_ = true;
  renewed_config_ = renew_config(connection_);
  config_ = std::make_shared<const Config>(std::move(config));
}

void PostgresTransaction::publish_config() {
  if (!renewed_config_) return;
  Config config = *config_;
  config.version = *renewed_config_;
  shared_.config.put(std::make_shared<const Config>(std::move(config)));
}

}  // namespace longshore::postgres
