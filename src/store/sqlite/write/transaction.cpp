#include "store/sqlite/write/transaction.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"
#include "core/policy/policy.h"
#include "core/record/history_text.h"
#include "core/rules/enqueue.h"
#include "core/rules/job_events.h"

namespace longshore::sqlite {
namespace {

constexpr std::size_t small_body = 4096;
constexpr std::size_t spare_entries_max = 1024;
constexpr std::size_t spare_history_max = 1024;  // bytes

bool is_held(State state) { return state == State::running || state == State::waiting; }

std::size_t bytes_of(const Entry& entry) {
  const JobBody none;
  const JobBody& body = entry.body ? *entry.body : none;
  std::size_t bytes = sizeof(Entry) + 256 + entry.head.history.capacity();
  bytes += body.payload.size() + body.metadata.size() + body.request.size();
  if (entry.head.error)
    bytes += entry.head.error->message.size() + entry.head.error->details.size();
  return bytes;
}

// The text without what keep_both_ends would drop.
void trim_history(std::string& text) {
  const auto lines = std::ranges::count(text, '\n');
  const auto excess = lines - (history_head_kept + history_tail_kept);
  if (excess <= 0) return;
  std::size_t begin = 0;
  for (int i = 0; i < history_head_kept; ++i) begin = text.find('\n', begin) + 1;
  std::size_t end = begin;
  for (std::ptrdiff_t i = 0; i < excess; ++i) end = text.find('\n', end) + 1;
  text.erase(begin, end - begin);
}

}  // namespace

void Entry::recycle() {
  queue_type = nullptr;
  home = Home::none;
  body.reset();
  result.reset();
  dirty = rewritten = body_changed = result_changed = touched = false;
  bytes = 0;
  head.error.reset();
  head.has_checkpoint = false;
  head.history.clear();
  if (head.history.capacity() > spare_history_max) head.history.shrink_to_fit();
}

SqliteTransaction::SqliteTransaction(Database& database, RulesCopy& rules,
                                     const MemoryLimits& limits)
    : database_(database),
      rules_(rules),
      record_(*rules.get()),
      limits_(limits),
      queue_types_(database, limits.lane_window, limits.all_windows),
      leases_(record_.rules),
      keys_(database),
      reader_(database, record_.usual),
      writer_(database, record_.usual),
      side_writes_(database),
      save_store_(database,
                  "UPDATE store SET highest_at = ?, number = ?, order_back = ?, order_front = ?, "
                  "audit = ?, stepped_at = ?"),
      bind_extra_(database, "INSERT OR IGNORE INTO bound_key VALUES (?, ?, ?)"),
      extra_keys_(database, "SELECT space, key FROM bound_key WHERE job = ? LIMIT ?"),
      delete_extra_(database, "DELETE FROM bound_key WHERE job = ? AND space = ? AND key = ?"),
      insert_gone_(database, "INSERT INTO gone VALUES (?, ?, ?)"),
      find_gone_(database, "SELECT status FROM gone WHERE job = ?"),
      next_gone_(database, "SELECT job, gone_after FROM gone ORDER BY gone_after, job LIMIT 1"),
      delete_gone_(database, "DELETE FROM gone WHERE job = ?"),
      recent_ids_(limits.recent_ids) {}

void SqliteTransaction::load() {
  entries_.clear();
  entry_bytes_ = 0;
  touched_.clear();
  dirty_.clear();
  hints_.clear();
  changes_seen_ = sqlite3_total_changes64(database_.handle());
  keys_.load();
  queue_types_.load();
  leases_.clear();
  record_ = *rules_.get();
  rules_changed_ = false;
  Statement store(database_,
                  "SELECT highest_at, number, order_back, order_front, audit, stepped_at "
                  "FROM store");
  if (store.step()) {
    saved_time_.highest = store.instant();
    counters_.number = store.integer();
    counters_.order_back = store.integer();
    counters_.order_front = store.integer();
    counters_.audit = store.integer();
    saved_time_.stepped_at = store.optional_instant();
  }
  saved_counters_ = counters_;
  Statement highest(database_,
                    "SELECT max(ifnull((SELECT max(id) FROM live), x''), "
                    "ifnull((SELECT max(id) FROM done), x''))");
  if (highest.step()) recent_ids_.start(highest.id<JobId>());
  const Rows rows(record_.usual);
  Statement held(database_, select_head("live") + "WHERE job.state IN (3, 4)");
  while (held.step()) leases_.enter(rows.read(held).job);
}

void SqliteTransaction::begin_command(Instant now, Instant prune_by,
                                      std::vector<JobEvent>& events) {
  now_ = now;
  prune_by_ = prune_by;
  events_ = &events;
}

Entry* SqliteTransaction::find(const JobId& id) {
  if (recent_ids_.is_new(id)) return nullptr;
  const auto known = entries_.find(id);
  if (known != entries_.end()) {
    touch(known->second);
    return &known->second;
  }
  std::optional<Found> found = reader_.find(id);
  return found ? &keep(id, std::move(*found)) : nullptr;
}

Entry& SqliteTransaction::keep(const JobId& id, Found found) {
  Entry& entry = make_entry(id);
  entry.head = std::move(found.head);
  entry.home = found.home;
  const Job& job = entry.job();
  entry.queue_type = &queue_types_.queue_type(job.ns, job.queue, job.type);
  touch(entry);
  return entry;
}

Entry& SqliteTransaction::make_entry(const JobId& id) {
  if (spare_entries_.empty()) return entries_[id];
  auto node = std::move(spare_entries_.back());
  spare_entries_.pop_back();
  node.key() = id;
  return entries_.insert(std::move(node)).position->second;
}

void SqliteTransaction::drop_entry(const JobId& id) {
  auto node = entries_.extract(id);
  if (node.empty() || spare_entries_.size() >= spare_entries_max) return;
  node.mapped().recycle();
  spare_entries_.push_back(std::move(node));
}

Entry* SqliteTransaction::find_holder(const execute::JobKeyRef& key, const JobId&) {
  const TypeState* state = queue_types_.find_type(key.ns, key.type);
  if (state == nullptr) return nullptr;
  flush();
  const auto id = reader_.find_live_key(state->id, key.key);
  return id ? find(*id) : nullptr;
}

Entry* SqliteTransaction::find_by_key(const execute::JobKeyRef& key) {
  if (Entry* live = find_holder(key, JobId{})) return live;
  const TypeState* state = queue_types_.find_type(key.ns, key.type);
  if (state == nullptr) return nullptr;
  const auto id = reader_.find_done_key(state->id, key.key);
  return id ? find(*id) : nullptr;
}

// One writer: what is free now stays free until it is bound.
std::optional<KeyView> SqliteTransaction::find_key(const execute::IdempotencyRef& key,
                                                   const execute::Binding&) {
  const auto space = keys_.find_space(key.ns, key.platform);
  if (!space) return std::nullopt;
  const auto bound = keys_.find(*space, key.key);
  if (!bound) return std::nullopt;
  KeyView view{.job = bound->job, .body_hash = bound->body_hash};
  if (const Entry* entry = find(bound->job)) {
    view.last_status = status_of(entry->job());
    return view;
  }
  find_gone_.begin();
  find_gone_.bind(bound->job);
  RowGuard guard(find_gone_);
  if (find_gone_.step()) view.last_status = static_cast<Status>(find_gone_.small());
  return view;
}

void SqliteTransaction::bind_key(const execute::IdempotencyRef& key, const execute::Binding& to) {
  const KeySpace space = keys_.space(key.ns, key.platform);
  keys_.put(space, key.key, {.job = to.job, .body_hash = to.body_hash});
  const Entry* entry = find(to.job);
  const bool named = entry != nullptr && entry->job().idempotency_key == key.key &&
                     is_platform_type(entry->job().type) == key.platform;
  if (!named) bind_extra_.run(to.job, space, key.key);
}

const JobBody& SqliteTransaction::body(execute::Entry& entry) {
  auto& body = static_cast<Entry&>(entry).body;
  if (!body) body = reader_.body(entry.job().id);
  return *body;
}

Entry& SqliteTransaction::apply(Change&& change) {
  static const Job no_job;
  const JobId id = change.after.id;
  Entry* entry = find(id);
  const bool is_new = entry == nullptr;
  if (is_new) {
    entry = &make_entry(id);
    recent_ids_.add(id);
    touch(*entry);
  }
  const Job& before = is_new ? no_job : entry->job();
  const int attempt_before = before.attempt;
  const std::size_t told = events_->size();
  append_job_events(*events_, before, std::move(change));
  place(*entry, is_new, change);
  write_parts(*entry, change, attempt_before, std::span(*events_).subspan(told));
  const bool moved = !change.transitions.empty();
  if (moved && entry->job().state == State::queued) hint(*entry->queue_type->queue);
  mark_dirty(*entry);
  return *entry;
}

// The job of a new entry means nothing yet.
void SqliteTransaction::place(Entry& entry, bool is_new, Change& change) {
  Job& job = entry.job();
  Job& after = change.after;
  const bool moved = !change.transitions.empty();
  after.number = is_new ? ++counters_.number : job.number;
  after.order = is_new ? 0 : job.order;
  if (change.place == Place::back) after.order = ++counters_.order_back;
  if (change.place == Place::front) after.order = --counters_.order_front;
  QueueType& queue_type = !is_new && after.queue == job.queue
                              ? *entry.queue_type
                              : queue_types_.queue_type(after.ns, after.queue, after.type);
  if (!is_new && is_held(job.state)) leases_.leave(job.id);
  if (!is_new && moved) queue_types_.leave(*entry.queue_type, job);
  if (moved && is_terminal(after.state)) {
    const TypeRule* type_rule = queue_type.type->rule ? &*queue_type.type->rule : nullptr;
    const QueueRule* queue_rule = queue_type.queue->rule ? &*queue_type.queue->rule : nullptr;
    after.prune_after = resolve_prune_after(status_of(after), after.updated_at, type_rule,
                                            queue_rule, record_.rules.retention);
  }
  if (!is_new && after.content != job.content) entry.rewritten = true;
  if (!is_new && is_terminal(job.state) && !is_terminal(after.state)) entry.rewritten = true;
  job = std::move(after);
  entry.queue_type = &queue_type;
  if (moved) queue_types_.enter(queue_type, job);
  if (is_held(job.state)) leases_.enter(job);
}

void SqliteTransaction::write_parts(Entry& entry, Change& change, int attempt_before,
                                    std::span<const JobEvent> moves) {
  Head& head = entry.head;
  const JobId& id = head.job.id;
  side_writes_.append_log(id, attempt_before, change.log, change.log_id);
  if (change.error && change.list_error) side_writes_.add_failure(head.job, *change.error);
  if (change.result || change.drop_result) {
    entry.result = std::move(change.result);
    entry.result_changed = true;
  }
  if (change.checkpoint || (change.drop_checkpoint && head.has_checkpoint)) {
    writer_.set_checkpoint(id, change.checkpoint);
    head.has_checkpoint = change.checkpoint.has_value();
  }
  if (change.drop_error) head.error.reset();
  if (change.error) head.error = std::move(change.error);
  if (change.body) {
    entry.body = std::move(change.body);
    entry.body_changed = true;
  }
  for (const JobEvent& move : moves) append_transition(head.history, move.transition);
  if (head.job.history_count > history_head_kept + history_tail_kept) trim_history(head.history);
}

void SqliteTransaction::record_audit(const Actor& actor, const std::string& ns,
                                     const std::string& action, const std::string& target) {
  side_writes_.add_audit(++counters_.audit, now_, ns, actor, action, target);
}

void SqliteTransaction::hint(QueueState& queue) {
  if (std::exchange(queue.hinted, true)) return;
  hints_.push_back(&queue);
}

std::set<std::string> SqliteTransaction::take_hints() {
  std::set<std::string> names;
  for (QueueState* queue : hints_) {
    queue->hinted = false;
    names.insert(queue->ns + "/" + queue->name);
  }
  hints_.clear();
  return names;
}

void SqliteTransaction::touch(Entry& entry) {
  if (entry.touched) return;
  entry.touched = true;
  touched_.push_back(&entry);
}

void SqliteTransaction::mark_dirty(Entry& entry) {
  if (entry.dirty) return;
  entry.dirty = true;
  dirty_.push_back(&entry);
}

void SqliteTransaction::flush() {
  if (dirty_.empty()) return;
  for (Entry* entry : dirty_) write(*entry);
  writer_.move_all();
  for (Entry* entry : dirty_) written(*entry);
  dirty_.clear();
}

void SqliteTransaction::write(Entry& entry) {
  const Job& job = entry.job();
  Names names{.queue_type = entry.queue_type->id};
  if (!job.job_key.empty()) names.kind = entry.queue_type->type->id;
  const bool is_new = entry.home == Home::none;
  const bool stays_done = entry.home == Home::done && is_terminal(job.state);
  writer_.write(entry.head, names, entry.home, entry.rewritten, entry.result);
  if (stays_done && entry.result_changed) writer_.set_result(job.id, entry.result);
  if (entry.body_changed) writer_.set_body(job.id, *entry.body, is_new);
}

void SqliteTransaction::written(Entry& entry) {
  entry.home = is_terminal(entry.job().state) ? Home::done : Home::live;
  entry.dirty = false;
  entry.rewritten = false;
  entry.body_changed = false;
  entry.result_changed = false;
  entry.result.reset();
}

void SqliteTransaction::finish(const StoreTime::Saved& time, bool time_matters) {
  flush();
  queue_types_.flush();
  const bool wrote = sqlite3_total_changes64(database_.handle()) != changes_seen_;
  // A commit that changes nothing is written for the sake of the time alone once in each second,
  // which is as exactly as a node that starts asks for it.
  const Instant saved = saved_time_.highest;
  const bool passed = whole_second(time.highest) > whole_second(saved) ||
                      (time_matters && time.highest > saved) ||
                      time.stepped_at != saved_time_.stepped_at;
  if (!wrote && !passed && counters_ == saved_counters_) return;
  save_store_.run(time.highest, counters_.number, counters_.order_back, counters_.order_front,
                  counters_.audit, time.stepped_at);
  saved_counters_ = counters_;
  saved_time_ = time;
}

bool SqliteTransaction::worth_keeping(const Entry& entry) const {
  const Job& job = entry.job();
  if (entry_bytes_ > limits_.entry_bytes) return false;
  if (is_held(job.state)) return true;
  return job.state == State::queued && place_of(job) < entry.queue_type->bound;
}

void SqliteTransaction::committed() {
  if (std::exchange(rules_changed_, false)) rules_.put(record_);
  changes_seen_ = sqlite3_total_changes64(database_.handle());
  for (Entry* entry : touched_) {
    entry->touched = false;
    entry_bytes_ -= std::exchange(entry->bytes, 0);
    const JobId id = entry->job().id;
    if (!worth_keeping(*entry)) {
      drop_entry(id);
      continue;
    }
    // A held job's body was handed out, and a large one is not kept for anybody.
    const bool useful = entry->job().state == State::queued && entry->body &&
                        entry->body->payload.size() <= small_body;
    if (!useful) entry->body.reset();
    entry->bytes = bytes_of(*entry);
    entry_bytes_ += entry->bytes;
  }
  touched_.clear();
}

}  // namespace longshore::sqlite
