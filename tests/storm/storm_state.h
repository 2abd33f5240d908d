// The state that the threads of a storm share: the history, the nodes with their stores, and a
// client that repeats requests until they are answered.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "checker/history_writer.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/sync/mutex.h"
#include "core/time/clock.h"
#include "longshore/store.h"
#include "storm/storm.h"

namespace longshore::storm {

// Counts answers, so that a thread can wait for more.
class Progress {
 public:
  void answered();
  // False if there was no answer for a long time.
  bool wait_for_more(std::int64_t more);
  std::int64_t count();

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t count_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

// A job that a client created and others may name.
struct Known {
  std::string ns;
  JobId id;
  std::string type;
  std::string key;
};

// An open store and a node's id. It can be reopened while threads use it: the restart waits for
// running calls, and later calls wait for the restart.
class StormNode {
 public:
  StormNode(std::size_t number, std::unique_ptr<Backend> backend)
      : id{.high = 7, .low = number + 1},
        name("node" + std::to_string(number)),
        backend_(std::move(backend)) {}

  Result<Committed> commit(std::span<const Command> commands);
  // The number of restarts.
  std::int64_t restarts() const { return restarts_; }
  Catalog& catalog() { return backend_->catalog(); }

  // Closes the store, opens another, and calls `begin` with it before any other call.
  Result<Nothing> restart(const StormOptions& options, const std::function<void(Store&)>& begin);

  const NodeId id;
  const std::string name;

 private:
  std::mutex restart_mutex_;  // held by a restart, so that no new call enters
  std::shared_mutex calls_mutex_;
  std::unique_ptr<Backend> backend_;
  std::atomic<std::int64_t> restarts_ = 0;
};

struct StormState {
  explicit StormState(const StormOptions& storm_options) : options(storm_options) {}

  void fail(const Error& error);
  static void back_off();  // before a client retries
  std::string last_problem();

  void remember(Known known);
  std::optional<Known> any_known(Random& random);

  // Records the events that a wide storm must have seen before it may end.
  void note_events(std::span<const Command> commands, const Committed& committed);
  bool saw_all();
  // The store was set back: what was seen no longer counts.
  void clear_seen();

  const StormOptions& options;
  checker::HistoryWriter history;
  Progress progress;
  SystemClock clock;
  std::vector<std::unique_ptr<StormNode>> nodes;
  std::atomic<std::int64_t> unanswered = 0;
  std::atomic<std::int64_t> wanted = 0;  // jobs enqueued, and jobs claimed
  std::atomic<std::int64_t> leased = 0;
  std::atomic<int> producers = 0;  // running, including the operator
  std::atomic<bool> producing = true;
  std::atomic<bool> working = true;

  Mutex mutex;
  std::string last_error LONGSHORE_GUARDED_BY(mutex);
  std::deque<Known> known LONGSHORE_GUARDED_BY(mutex);
  std::set<std::string> seen LONGSHORE_GUARDED_BY(mutex);
};

// The store as one thread uses it.
class Client {
 public:
  Client(StormState& shared, StormNode& home, std::string name, std::uint64_t seed)
      : state(shared), node(home), random(seed), name_(std::move(name)) {}

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // In one commit. Repeats it until it is answered, or the storm is over; then returns nothing.
  std::vector<Verdict> send(std::span<const Command> commands);
  std::optional<Verdict> send(const Command& command);

  JobId new_id() { return ids_.next(state.clock.now()); }
  RequestId request() { return random_id<RequestId>(random); }
  Actor actor();
  const std::string& name() const { return name_; }
  bool wide() const { return state.options.wide; }

  StormState& state;
  StormNode& node;
  SeededRandom random;

 private:
  const std::string name_;
  JobIds ids_{random};
  std::int64_t requests_ = 0;
};

// Records an answer.
void record(StormState& state, std::int64_t op, const Verdict& verdict, Instant at);

// "main", or three in a wide storm.
std::vector<std::string> namespaces(const StormOptions& options);
// Counters that must not be 0 at the end.
std::vector<std::string> required_of(const StormOptions& options);

// Its retention is StormOptions::keep; the others keep their jobs for days.
inline constexpr const char* brief_queue = "brief";
// Has no workers: its jobs expire.
inline constexpr const char* frozen_queue = "frozen";
inline constexpr const char* narrow_queue = "narrow";

}  // namespace longshore::storm
