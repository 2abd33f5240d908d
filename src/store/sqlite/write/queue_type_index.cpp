#include "store/sqlite/write/queue_type_index.h"

#include <algorithm>
#include <utility>

#include "core/record/soundness.h"

namespace longshore::sqlite {
namespace {

// No name can hold a byte of zero and still be told apart here by luck alone: the lengths differ.
std::string joined(const std::string& ns, const std::string& queue, const std::string& type) {
  std::string key;
  key.reserve(ns.size() + queue.size() + type.size() + 16);
  for (const std::string* part : {&ns, &queue, &type}) {
    key += std::to_string(part->size());
    key += ':';
    key += *part;
  }
  return key;
}

template <class Rule>
void read_keeping(Statement& row, Rule& rule) {
  const auto length = [&row]() -> std::optional<Duration> {
    if (row.is_null()) return row.skip(), std::nullopt;
    return row.duration();
  };
  if (row.is_null()) {
    row.skip();
  } else {
    rule.max_running = row.small();
  }
  rule.keep_success = length();
  rule.keep_canceled = length();
  rule.keep_dead = length();
}

constexpr const char* rule_columns = "max_running, keep_success, keep_canceled, keep_dead";

}  // namespace

void Window::insert(const ReadyPlace& place, const JobId& job) {
  if (items_.empty() || items_.back().first < place) {
    items_.emplace_back(place, job);
  } else {
    items_.emplace(std::ranges::lower_bound(items_, place, {}, &Item::first), place, job);
  }
}

std::size_t Window::erase(const ReadyPlace& place) {
  if (!items_.empty() && items_.front().first == place) {
    items_.pop_front();
    return 1;
  }
  const auto found = std::ranges::lower_bound(items_, place, {}, &Item::first);
  if (found == items_.end() || found->first != place) return 0;
  items_.erase(found);
  return 1;
}

const Window::Item* Window::first_behind(const ReadyPlace& place) const {
  const auto found = std::ranges::upper_bound(items_, place, {}, &Item::first);
  return found == items_.end() ? nullptr : &*found;
}

std::size_t Window::cut_after(const ReadyPlace& place) {
  const auto after = std::ranges::upper_bound(items_, place, {}, &Item::first);
  const auto count = static_cast<std::size_t>(items_.end() - after);
  items_.erase(after, items_.end());
  return count;
}

QueueTypeIndex::QueueTypeIndex(Database& database, std::size_t window_max, std::size_t total_max)
    : database_(database),
      window_max_(window_max),
      total_max_(total_max),
      insert_lane_(database, "INSERT INTO lane(ns, queue, type) VALUES (?, ?, ?)"),
      insert_type_(database, "INSERT INTO kind(ns, type) VALUES (?, ?)"),
      update_lane_(database,
                   "UPDATE lane SET created = ?, scheduled = ?, queued = ?, running = ?, "
                   "waiting = ?, retry = ?, success = ?, dead = ?, canceled = ? WHERE id = ?"),
      next_places_(database,
                   "SELECT priority, ord, id FROM live WHERE state = 2 AND lane = ?1 AND "
                   "(priority, ord) >= (?2, ?3) ORDER BY priority, ord LIMIT ?4"),
      insert_pause_(database, "INSERT INTO pause VALUES (?, ?)"),
      delete_pause_(database, "DELETE FROM pause WHERE ns = ? AND queue = ?"),
      insert_queue_rule_(database, "REPLACE INTO queue_rule VALUES (?, ?, ?, ?, ?, ?)"),
      insert_type_rule_(database, "REPLACE INTO type_rule VALUES (?, ?, ?, ?, ?, ?)") {}

void QueueTypeIndex::load() {
  queues_.clear();
  types_.clear();
  queue_types_.clear();
  latest_ = nullptr;
  dirty_.clear();
  places_ = 0;
  Statement kinds(database_, "SELECT ns, type, id FROM kind");
  while (kinds.step()) {
    auto state = std::make_unique<TypeState>();
    state->ns = kinds.text();
    state->name = kinds.text();
    state->id = kinds.integer();
    types_[{state->ns, state->name}] = std::move(state);
  }
  Statement rows(database_,
                 "SELECT id, ns, queue, type, created, scheduled, queued, running, waiting, "
                 "retry, success, dead, canceled FROM lane");
  while (rows.step()) {
    const std::int64_t id = rows.integer();
    const std::string ns = rows.text();
    const std::string queue = rows.text();
    QueueType& queue_type = add(id, ns, queue, rows.text());
    for (std::int64_t& count : queue_type.counts) count = rows.integer();
    queue_type.queue->running += queue_type.count(State::running);
    queue_type.type->running += queue_type.count(State::running);
    if (queue_type.queued() > 0) queue_type.bound = first_place;
  }
  load_rules();
}

void QueueTypeIndex::load_rules() {
  Statement pauses(database_, "SELECT ns, queue FROM pause");
  while (pauses.step()) {
    const std::string ns = pauses.text();
    queue(ns, pauses.text()).paused = true;
  }
  Statement queue_rules(database_,
                        std::string("SELECT ns, queue, ") + rule_columns + " FROM queue_rule");
  while (queue_rules.step()) {
    QueueRule rule{.ns = queue_rules.text(), .queue = queue_rules.text()};
    read_keeping(queue_rules, rule);
    queue(rule.ns, rule.queue).rule = rule;
  }
  Statement type_rules(database_,
                       std::string("SELECT ns, type, ") + rule_columns + " FROM type_rule");
  while (type_rules.step()) {
    TypeRule rule{.ns = type_rules.text(), .type = type_rules.text()};
    read_keeping(type_rules, rule);
    type(rule.ns, rule.type).rule = rule;
  }
}

QueueType& QueueTypeIndex::add(std::int64_t id, const std::string& ns,
                               const std::string& queue_name, const std::string& type_name) {
  auto queue_type = std::make_unique<QueueType>();
  queue_type->id = id;
  queue_type->queue = &queue(ns, queue_name);
  queue_type->type = &type(ns, type_name);
  queue_type->queue->queue_types.push_back(queue_type.get());
  return *(queue_types_[joined(ns, queue_name, type_name)] = std::move(queue_type));
}

QueueType& QueueTypeIndex::queue_type(const std::string& ns, const std::string& queue,
                                      const std::string& type) {
  if (QueueType* known = find(ns, queue, type)) return *known;
  insert_lane_.run(ns, queue, type);
  return add(sqlite3_last_insert_rowid(database_.handle()), ns, queue, type);
}

// Most of a commit is about one queue_type, so the latest is looked at first.
QueueType* QueueTypeIndex::find(const std::string& ns, const std::string& queue,
                                const std::string& type) {
  if (latest_ != nullptr && latest_->type->name == type && latest_->queue->name == queue &&
      latest_->queue->ns == ns) {
    return latest_;
  }
  const auto found = queue_types_.find(joined(ns, queue, type));
  if (found == queue_types_.end()) return nullptr;
  latest_ = found->second.get();
  return latest_;
}

QueueState& QueueTypeIndex::queue(const std::string& ns, const std::string& name) {
  std::unique_ptr<QueueState>& state = queues_[{ns, name}];
  if (!state) {
    state = std::make_unique<QueueState>();
    state->ns = ns;
    state->name = name;
  }
  return *state;
}

QueueState* QueueTypeIndex::find_queue(const std::string& ns, const std::string& name) {
  const auto found = queues_.find({ns, name});
  return found == queues_.end() ? nullptr : found->second.get();
}

TypeState& QueueTypeIndex::type(const std::string& ns, const std::string& name) {
  std::unique_ptr<TypeState>& state = types_[{ns, name}];
  if (!state) {
    insert_type_.run(ns, name);
    state = std::make_unique<TypeState>();
    state->id = sqlite3_last_insert_rowid(database_.handle());
    state->ns = ns;
    state->name = name;
  }
  return *state;
}

TypeState* QueueTypeIndex::find_type(const std::string& ns, const std::string& name) {
  const auto found = types_.find({ns, name});
  return found == types_.end() ? nullptr : found->second.get();
}

void QueueTypeIndex::count(QueueType& queue_type, State state, int by) {
  queue_type.counts[static_cast<std::size_t>(state)] += by;
  if (state == State::running) {
    queue_type.queue->running += by;
    queue_type.type->running += by;
  }
  if (queue_type.dirty) return;
  queue_type.dirty = true;
  dirty_.push_back(&queue_type);
}

void QueueTypeIndex::enter(QueueType& queue_type, const Job& job) {
  count(queue_type, counted_as(job), 1);
  if (job.state != State::queued) return;
  const ReadyPlace place = place_of(job);
  if (place >= queue_type.bound) return;
  if (places_ >= total_max_) {
    // No room for anybody: the window ends before this place.
    places_ -= queue_type.window.cut_after(place);
    queue_type.bound = place;
    return;
  }
  queue_type.window.insert(place, job.id);
  ++places_;
  if (queue_type.window.size() <= window_max_) return;
  queue_type.bound = queue_type.window.back().first;
  queue_type.window.pop_back();
  --places_;
}

void QueueTypeIndex::leave(QueueType& queue_type, const Job& job) {
  count(queue_type, counted_as(job), -1);
  if (job.state != State::queued) return;
  places_ -= queue_type.window.erase(place_of(job));
  if (queue_type.queued() == 0) queue_type.bound = last_place;
}

std::optional<std::pair<ReadyPlace, JobId>> QueueTypeIndex::first(QueueType& queue_type) {
  if (must_read_on(queue_type)) read_on(queue_type);
  if (queue_type.window.empty()) return std::nullopt;
  return queue_type.window.front();
}

std::optional<Window::Item> QueueTypeIndex::first_behind(const QueueType& queue_type,
                                                         const ReadyPlace& place) {
  if (const Window::Item* item = queue_type.window.first_behind(place)) return *item;
  if (queue_type.bound == last_place) return std::nullopt;
  const ReadyPlace from = std::max(queue_type.bound, ReadyPlace{place.priority, place.order + 1});
  next_places_.begin();
  next_places_.bind(queue_type.id);
  next_places_.bind(from.priority);
  next_places_.bind(from.order);
  next_places_.bind(1);
  RowGuard guard(next_places_);
  if (!next_places_.step()) return std::nullopt;
  const int priority = next_places_.small();
  const ReadyPlace found{priority, next_places_.integer()};
  return Window::Item{found, next_places_.id<JobId>()};
}

void QueueTypeIndex::read_on(QueueType& queue_type) {
  if (places_ + window_max_ > total_max_) make_room(queue_type);
  next_places_.begin();
  next_places_.bind(queue_type.id);
  next_places_.bind(queue_type.bound.priority);
  next_places_.bind(queue_type.bound.order);
  next_places_.bind(static_cast<std::int64_t>(window_max_));
  RowGuard guard(next_places_);
  while (next_places_.step()) {
    const int priority = next_places_.small();
    const ReadyPlace place{priority, next_places_.integer()};
    queue_type.window.insert(place, next_places_.id<JobId>());
    ++places_;
  }
  if (queue_type.window.size() < window_max_) {
    queue_type.bound = last_place;
  } else {
    const ReadyPlace last = queue_type.window.back().first;
    queue_type.bound = {last.priority, last.order + 1};
  }
}

void QueueTypeIndex::make_room(const QueueType& wanted) {
  for (auto& [names, queue_type] : queue_types_) {
    if (queue_type.get() == &wanted || queue_type->window.empty()) continue;
    places_ -= queue_type->window.size();
    queue_type->window.clear();
    queue_type->bound = first_place;
  }
}

void QueueTypeIndex::pause(const std::string& ns, const std::string& name, bool paused) {
  queue(ns, name).paused = paused;
  (paused ? insert_pause_ : delete_pause_).run(ns, name);
}

void QueueTypeIndex::configure(const Configure& configure) {
  for (auto& [names, queue] : queues_) queue->rule.reset();
  for (auto& [names, type] : types_) type->rule.reset();
  database_.execute("DELETE FROM queue_rule; DELETE FROM type_rule");
  for (const QueueRule& rule : configure.queues) {
    queue(rule.ns, rule.queue).rule = rule;
    insert_queue_rule_.run(rule.ns, rule.queue, rule.max_running, rule.keep_success,
                           rule.keep_canceled, rule.keep_dead);
  }
  for (const TypeRule& rule : configure.types) {
    type(rule.ns, rule.type).rule = rule;
    insert_type_rule_.run(rule.ns, rule.type, rule.max_running, rule.keep_success,
                          rule.keep_canceled, rule.keep_dead);
  }
}

void QueueTypeIndex::audit(std::vector<Finding>& findings) {
  Statement rows(database_,
                 "SELECT priority, ord, id FROM live WHERE state = 2 AND lane = ? AND "
                 "(priority, ord) < (?, ?) ORDER BY priority, ord");
  for (const auto& [names, queue_type] : queue_types_) {
    rows.begin();
    rows.bind(queue_type->id);
    rows.bind(queue_type->bound.priority);
    rows.bind(queue_type->bound.order);
    Window due;
    const RowGuard guard(rows);
    while (rows.step()) {
      const int priority = rows.small();
      const ReadyPlace place{priority, rows.integer()};
      due.insert(place, rows.id<JobId>());
    }
    if (due == queue_type->window) continue;
    findings.push_back({"ready-window", queue_type->queue->ns + "/" + queue_type->queue->name +
                                            "/" + queue_type->type->name + ": memory knows " +
                                            std::to_string(queue_type->window.size()) +
                                            " ready jobs, the file " + std::to_string(due.size())});
  }
}

void QueueTypeIndex::flush() {
  for (QueueType* queue_type : dirty_) {
    update_lane_.begin();
    for (const std::int64_t count : queue_type->counts) update_lane_.bind(count);
    update_lane_.bind(queue_type->id);
    update_lane_.finish();
    queue_type->dirty = false;
  }
  dirty_.clear();
}

}  // namespace longshore::sqlite
