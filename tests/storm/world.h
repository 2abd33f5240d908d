// What everybody in a storm shares: the history, the nodes with their stores, and how one thread
// says something until it is answered.
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
#include "storm/weather.h"

namespace longshore::storm {

// Counts answers, so that somebody may wait for the next ones.
class Progress {
 public:
  void answered();
  // False if nobody answered for a long time.
  bool wait_for_more(std::int64_t more);
  std::int64_t count();

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t count_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

// A job that somebody asked for, and may talk about.
struct Known {
  std::string ns;
  JobId id;
  std::string type;
  std::string key;
};

// One opened store and a node's id. It can be closed and opened again under the feet of whoever
// uses it: nobody is inside then, and whoever comes later waits.
class StormNode {
 public:
  StormNode(std::size_t number, std::unique_ptr<Backend> backend)
      : id{.high = 7, .low = number + 1},
        name("node" + std::to_string(number)),
        backend_(std::move(backend)) {}

  Result<Committed> commit(std::span<const Command> commands);
  // How often it began anew.
  std::int64_t lives() const { return lives_; }
  Catalog& catalog() { return backend_->catalog(); }

  // Closes the store, opens another, and calls `begin` with it before anybody else is let in.
  Result<Nothing> restart(const StormOptions& options, const std::function<void(Store&)>& begin);

  const NodeId id;
  const std::string name;

 private:
  std::mutex turnstile_;  // whoever wants to be alone holds it, so that nobody new comes in
  std::shared_mutex gate_;
  std::unique_ptr<Backend> backend_;
  std::atomic<std::int64_t> lives_ = 0;
};

struct World {
  explicit World(const StormOptions& storm_options) : options(storm_options) {}

  void fail(const Error& error);
  static void back_off();  // before a client tries again
  std::string trouble();

  void learn(Known known);
  std::optional<Known> any_known(Random& random);

  // What a wide storm has to have seen before it may end.
  void see(std::span<const Command> commands, const Committed& committed);
  bool has_seen_all();
  // What was seen is no more.
  void forget_seen();

  const StormOptions& options;
  checker::HistoryWriter history;
  Progress progress;
  SystemClock clock;
  std::vector<std::unique_ptr<StormNode>> nodes;
  std::atomic<std::int64_t> unanswered = 0;
  std::atomic<std::int64_t> wanted = 0;  // jobs, and how many were claimed
  std::atomic<std::int64_t> leased = 0;
  std::atomic<int> producers = 0;  // and stewards, at work
  std::atomic<bool> producing = true;
  std::atomic<bool> working = true;

  Mutex mutex;
  std::string last_error LONGSHORE_GUARDED_BY(mutex);
  std::deque<Known> known LONGSHORE_GUARDED_BY(mutex);
  std::set<std::string> seen LONGSHORE_GUARDED_BY(mutex);
};

// One thread's way to the store.
class Client {
 public:
  Client(World& shared, StormNode& home, std::string name, std::uint64_t seed)
      : world(shared), node(home), random(seed), name_(std::move(name)) {}

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // In one commit. Says it again until it is answered, or the storm is over; then nothing comes
  // back.
  std::vector<Verdict> send(std::span<const Command> commands);
  std::optional<Verdict> send(const Command& command);

  JobId new_id() { return ids_.next(world.clock.now()); }
  RequestId request() { return random_id<RequestId>(random); }
  Actor actor();
  const std::string& name() const { return name_; }
  bool wide() const { return world.options.wide; }

  World& world;
  StormNode& node;
  SeededRandom random;

 private:
  const std::string name_;
  JobIds ids_{random};
  std::int64_t requests_ = 0;
};

// Writes down what came back.
void record(World& world, std::int64_t op, const Verdict& verdict, Instant at);

// "main" alone, or three.
std::vector<std::string> namespaces(const StormOptions& options);
// Counters that must not be 0 at the end.
std::vector<std::string> required_of(const StormOptions& options);

// Keeps its jobs for as long as StormOptions::keep says; the others keep them for days.
inline constexpr const char* brief_queue = "brief";
// Which nobody serves: what is in there expires.
inline constexpr const char* frozen_queue = "frozen";
inline constexpr const char* narrow_queue = "narrow";

}  // namespace longshore::storm
