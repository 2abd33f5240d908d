// QueueTypeIndex, queues and types as the writer knows them, in memory: how many jobs stand in
// which state, what is paused or limited, and the next jobs of each queue_type. A queue_type is
// what one queue holds of one type, so that a claim which may not take a type never looks at its
// jobs.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/job.h"
#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

// Where a job stands in its queue_type.
struct ReadyPlace {
  int priority = 0;
  std::int64_t order = 0;
  friend auto operator<=>(const ReadyPlace&, const ReadyPlace&) = default;
};
inline constexpr ReadyPlace first_place = {std::numeric_limits<int>::min(), 0};
inline constexpr ReadyPlace last_place = {std::numeric_limits<int>::max(), 0};

inline ReadyPlace place_of(const Job& job) { return {job.priority, job.order}; }

struct QueueType;

struct QueueState {
  std::string ns;
  std::string name;
  bool paused = false;
  std::optional<QueueRule> rule;
  std::int64_t running = 0;
  std::vector<QueueType*> queue_types;
  bool hinted = false;  // somebody will be told that it is worth a look
};

struct TypeState {
  std::int64_t id = 0;
  std::string ns;
  std::string name;
  std::optional<TypeRule> rule;
  std::int64_t running = 0;
};

// Ready places in order. Almost all are added behind and taken in front.
class Window {
 public:
  using Item = std::pair<ReadyPlace, JobId>;

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  const Item& front() const { return items_.front(); }
  const Item& back() const { return items_.back(); }

  void insert(const ReadyPlace& place, const JobId& job);
  // How many were there: one or none.
  std::size_t erase(const ReadyPlace& place);
  // The first item behind the place; null if there is none.
  const Item* first_behind(const ReadyPlace& place) const;
  // Removes what comes after `place`; how many.
  std::size_t cut_after(const ReadyPlace& place);
  void pop_back() { items_.pop_back(); }
  void clear() { items_.clear(); }

  friend bool operator==(const Window&, const Window&) = default;

 private:
  std::deque<Item> items_;
};

// Invariant: every queued job of the queue_type whose place is before `bound` is in `window`; when
// the window holds all of them, `bound` is last_place.
struct QueueType {
  std::int64_t id = 0;
  QueueState* queue = nullptr;
  TypeState* type = nullptr;
  std::array<std::int64_t, state_count> counts{};
  bool dirty = false;  // the counts differ from those on disk
  Window window;
  ReadyPlace bound = last_place;

  std::int64_t count(State state) const { return counts[static_cast<std::size_t>(state)]; }
  std::int64_t queued() const { return count(State::queued); }
};

// Used by the writer alone.
class QueueTypeIndex {
 public:
  // At most `window_max` places are kept of one queue_type, and `total_max` of all together.
  QueueTypeIndex(Database& database, std::size_t window_max, std::size_t total_max);

  // Reads everything anew; what was in memory is forgotten.
  void load();

  // Makes the queue_type if there is none.
  QueueType& queue_type(const std::string& ns, const std::string& queue, const std::string& type);
  QueueType* find(const std::string& ns, const std::string& queue, const std::string& type);
  QueueState& queue(const std::string& ns, const std::string& name);
  QueueState* find_queue(const std::string& ns, const std::string& name);
  TypeState& type(const std::string& ns, const std::string& name);
  TypeState* find_type(const std::string& ns, const std::string& name);

  // A job enters a state in a queue_type, or leaves it. A queued one also enters the window, if it
  // belongs there.
  void enter(QueueType& queue_type, const Job& job);
  void leave(QueueType& queue_type, const Job& job);

  // The first job of the queue_type; reads on from disk when the window is used up. REQUIRES: what
  // is on disk is up to date with what was entered and left, or the window is not empty.
  std::optional<std::pair<ReadyPlace, JobId>> first(QueueType& queue_type);
  bool must_read_on(const QueueType& queue_type) const {
    return queue_type.window.empty() && queue_type.queued() > 0;
  }
  // The first job of the queue_type behind a place, which leaves the window as it is. REQUIRES:
  // what is on disk is up to date, or nothing must be read for it.
  std::optional<Window::Item> first_behind(const QueueType& queue_type, const ReadyPlace& place);
  bool must_read_behind(const QueueType& queue_type, const ReadyPlace& place) const {
    return queue_type.bound != last_place && queue_type.window.first_behind(place) == nullptr;
  }

  void pause(const std::string& ns, const std::string& name, bool paused);
  void configure(const Configure& configure);

  // Writes the counts that changed.
  void flush();

  // Adds a Finding for each window that is not what the file says its queue_type begins with.
  void audit(std::vector<Finding>& findings);

  // How many places are in all windows.
  std::size_t places() const { return places_; }

 private:
  using Pair = std::pair<std::string, std::string>;

  void count(QueueType& queue_type, State state, int by);
  void read_on(QueueType& queue_type);
  void make_room(const QueueType& wanted);
  void load_rules();
  QueueType& add(std::int64_t id, const std::string& ns, const std::string& queue,
                 const std::string& type);

  Database& database_;
  const std::size_t window_max_;
  const std::size_t total_max_;
  std::map<Pair, std::unique_ptr<QueueState>> queues_;
  std::map<Pair, std::unique_ptr<TypeState>> types_;
  std::unordered_map<std::string, std::unique_ptr<QueueType>> queue_types_;  // by all three names
  QueueType* latest_ = nullptr;                                              // that was looked up
  std::vector<QueueType*> dirty_;
  std::size_t places_ = 0;

  Statement insert_lane_;
  Statement insert_type_;
  Statement update_lane_;
  Statement next_places_;
  Statement insert_pause_;
  Statement delete_pause_;
  Statement insert_queue_rule_;
  Statement insert_type_rule_;
};

}  // namespace longshore::sqlite
