#include "store/sqlite/lanes.h"

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

Lanes::Lanes(Database& database, std::size_t window_max, std::size_t total_max)
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

void Lanes::load() {
  queues_.clear();
  types_.clear();
  lanes_.clear();
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
    Lane& lane = add(id, ns, queue, rows.text());
    for (std::int64_t& count : lane.counts) count = rows.integer();
    lane.queue->running += lane.count(State::running);
    lane.type->running += lane.count(State::running);
    if (lane.queued() > 0) lane.bound = first_place;
  }
  load_rules();
}

void Lanes::load_rules() {
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

Lane& Lanes::add(std::int64_t id, const std::string& ns, const std::string& queue_name,
                 const std::string& type_name) {
  auto lane = std::make_unique<Lane>();
  lane->id = id;
  lane->queue = &queue(ns, queue_name);
  lane->type = &type(ns, type_name);
  lane->queue->lanes.push_back(lane.get());
  return *(lanes_[joined(ns, queue_name, type_name)] = std::move(lane));
}

Lane& Lanes::lane(const std::string& ns, const std::string& queue, const std::string& type) {
  if (Lane* known = find(ns, queue, type)) return *known;
  insert_lane_.run(ns, queue, type);
  return add(sqlite3_last_insert_rowid(database_.handle()), ns, queue, type);
}

// Most of a commit is about one lane, so the latest is looked at first.
Lane* Lanes::find(const std::string& ns, const std::string& queue, const std::string& type) {
  if (latest_ != nullptr && latest_->type->name == type && latest_->queue->name == queue &&
      latest_->queue->ns == ns) {
    return latest_;
  }
  const auto found = lanes_.find(joined(ns, queue, type));
  if (found == lanes_.end()) return nullptr;
  latest_ = found->second.get();
  return latest_;
}

QueueState& Lanes::queue(const std::string& ns, const std::string& name) {
  std::unique_ptr<QueueState>& state = queues_[{ns, name}];
  if (!state) {
    state = std::make_unique<QueueState>();
    state->ns = ns;
    state->name = name;
  }
  return *state;
}

QueueState* Lanes::find_queue(const std::string& ns, const std::string& name) {
  const auto found = queues_.find({ns, name});
  return found == queues_.end() ? nullptr : found->second.get();
}

TypeState& Lanes::type(const std::string& ns, const std::string& name) {
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

TypeState* Lanes::find_type(const std::string& ns, const std::string& name) {
  const auto found = types_.find({ns, name});
  return found == types_.end() ? nullptr : found->second.get();
}

void Lanes::count(Lane& lane, State state, int by) {
  lane.counts[static_cast<std::size_t>(state)] += by;
  if (state == State::running) {
    lane.queue->running += by;
    lane.type->running += by;
  }
  if (lane.dirty) return;
  lane.dirty = true;
  dirty_.push_back(&lane);
}

void Lanes::enter(Lane& lane, const Job& job) {
  count(lane, counted_as(job), 1);
  if (job.state != State::queued) return;
  const ReadyPlace place = place_of(job);
  if (place >= lane.bound) return;
  if (places_ >= total_max_) {
    // No room for anybody: the window ends before this place.
    places_ -= lane.window.cut_after(place);
    lane.bound = place;
    return;
  }
  lane.window.insert(place, job.id);
  ++places_;
  if (lane.window.size() <= window_max_) return;
  lane.bound = lane.window.back().first;
  lane.window.pop_back();
  --places_;
}

void Lanes::leave(Lane& lane, const Job& job) {
  count(lane, counted_as(job), -1);
  if (job.state != State::queued) return;
  places_ -= lane.window.erase(place_of(job));
  if (lane.queued() == 0) lane.bound = last_place;
}

std::optional<std::pair<ReadyPlace, JobId>> Lanes::first(Lane& lane) {
  if (must_read_on(lane)) read_on(lane);
  if (lane.window.empty()) return std::nullopt;
  return lane.window.front();
}

std::optional<Window::Item> Lanes::first_behind(const Lane& lane, const ReadyPlace& place) {
  if (const Window::Item* item = lane.window.first_behind(place)) return *item;
  if (lane.bound == last_place) return std::nullopt;
  const ReadyPlace from = std::max(lane.bound, ReadyPlace{place.priority, place.order + 1});
  next_places_.begin();
  next_places_.bind(lane.id);
  next_places_.bind(from.priority);
  next_places_.bind(from.order);
  next_places_.bind(1);
  RowGuard guard(next_places_);
  if (!next_places_.step()) return std::nullopt;
  const int priority = next_places_.small();
  const ReadyPlace found{priority, next_places_.integer()};
  return Window::Item{found, next_places_.id<JobId>()};
}

void Lanes::read_on(Lane& lane) {
  if (places_ + window_max_ > total_max_) make_room(lane);
  next_places_.begin();
  next_places_.bind(lane.id);
  next_places_.bind(lane.bound.priority);
  next_places_.bind(lane.bound.order);
  next_places_.bind(static_cast<std::int64_t>(window_max_));
  RowGuard guard(next_places_);
  while (next_places_.step()) {
    const int priority = next_places_.small();
    const ReadyPlace place{priority, next_places_.integer()};
    lane.window.insert(place, next_places_.id<JobId>());
    ++places_;
  }
  if (lane.window.size() < window_max_) {
    lane.bound = last_place;
  } else {
    const ReadyPlace last = lane.window.back().first;
    lane.bound = {last.priority, last.order + 1};
  }
}

void Lanes::make_room(const Lane& wanted) {
  for (auto& [names, lane] : lanes_) {
    if (lane.get() == &wanted || lane->window.empty()) continue;
    places_ -= lane->window.size();
    lane->window.clear();
    lane->bound = first_place;
  }
}

void Lanes::pause(const std::string& ns, const std::string& name, bool paused) {
  queue(ns, name).paused = paused;
  (paused ? insert_pause_ : delete_pause_).run(ns, name);
}

void Lanes::configure(const Configure& configure) {
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

void Lanes::audit(std::vector<Finding>& findings) {
  Statement rows(database_,
                 "SELECT priority, ord, id FROM live WHERE state = 2 AND lane = ? AND "
                 "(priority, ord) < (?, ?) ORDER BY priority, ord");
  for (const auto& [names, lane] : lanes_) {
    rows.begin();
    rows.bind(lane->id);
    rows.bind(lane->bound.priority);
    rows.bind(lane->bound.order);
    Window due;
    const RowGuard guard(rows);
    while (rows.step()) {
      const int priority = rows.small();
      const ReadyPlace place{priority, rows.integer()};
      due.insert(place, rows.id<JobId>());
    }
    if (due == lane->window) continue;
    findings.push_back({"ready-window", lane->queue->ns + "/" + lane->queue->name + "/" +
                                            lane->type->name + ": memory knows " +
                                            std::to_string(lane->window.size()) +
                                            " ready jobs, the file " + std::to_string(due.size())});
  }
}

void Lanes::flush() {
  for (Lane* lane : dirty_) {
    update_lane_.begin();
    for (const std::int64_t count : lane->counts) update_lane_.bind(count);
    update_lane_.bind(lane->id);
    update_lane_.finish();
    lane->dirty = false;
  }
  dirty_.clear();
}

}  // namespace longshore::sqlite
