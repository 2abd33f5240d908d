// One node: an engine, the threads that drive it, and what clients and workers in this process
// need of it. Used by the library and by the server.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/policy/rule_table.h"
#include "core/rules/refusal.h"
#include "core/sync/mutex.h"
#include "engine/engine.h"
#include "longshore/open.h"
#include "runtime/alarm.h"
#include "runtime/ids.h"
#include "runtime/node/node_identity.h"
#include "runtime/relay.h"
#include "runtime/timekeeper.h"
#include "runtime/watchers.h"

namespace longshore {

// What a node is built from. Declared in the order in which each relies on the one before.
struct NodeParts {
  std::shared_ptr<Timekeeper> time;  // shared with a test that moves it
  std::unique_ptr<Random> random;
  std::unique_ptr<Backend> backend;
  Rules rules;  // asked for; the store's own are obeyed
  OpenOptions options;
  Pause pause = pause_thread;  // while another node with the same identity is watched
};

// Safe to share between threads. Shared by the Longshore that stops it, and by clients and leases
// that may outlive that.
class Node {
 public:
  // Does nothing yet but find out which node this is, so that what the node before held is known
  // to be this one's; see identify().
  static Result<std::shared_ptr<Node>> make(NodeParts parts);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Starts the threads and takes back what this node held when it last died. On failure the node
  // is stopped. Refused once stopped.
  Result<Nothing> start();
  // No more work is given out; what has been said so far is committed; what comes later is
  // refused. Idempotent, also from several threads, and may come before start.
  void stop();

  // Hears which queues, written "namespace/queue", another node may have changed.
  // REQUIRES: the node has not been started.
  using HintListener = std::function<void(const std::vector<std::string>& queues)>;
  void listen_for_hints(HintListener listener) { hint_listener_ = std::move(listener); }

  // Blocks until the command is judged.
  Result<Answered> ask(Command command);
  // The same, with a refusal turned into an Error.
  template <class Wanted>
  Result<Wanted> ask_for(Command command);

  // Nothing unless the node runs; otherwise why it does not.
  std::optional<Error> out_of_service() const;
  // See Backend.
  std::optional<Error> broken() const { return parts_.backend->broken(); }
  Losses losses() const { return parts_.backend->losses(); }
  ClockReport clock() const { return parts_.backend->clock(); }
  // REQUIRES: the node has not been started.
  void listen_for_clock_steps(std::function<void(const std::string&)> listener) {
    parts_.backend->listen_for_clock_steps(std::move(listener));
  }
  // REQUIRES: the node has not been started.
  void listen_for_losses(std::function<void(const std::string&)> listener) {
    parts_.backend->listen_for_losses(std::move(listener));
  }
  StoreCondition condition() const { return parts_.backend->condition(); }
  // REQUIRES: the node has not been started.
  void listen_for_condition(std::function<void(const StoreCondition&)> listener) {
    parts_.backend->listen_for_condition(std::move(listener));
  }
  // Known to every node of the store, and to nobody else.
  const std::string& secret() const { return secret_; }

  // Why this node is not the one that its name or its file would make it; empty: it is.
  const std::string& identity_warning() const { return identity_.warning; }

  // Constant after construction.
  const NodeId id;
  Timekeeper& time() { return *parts_.time; }
  Ids& ids() { return ids_; }
  Engine& engine() { return engine_; }
  Watchers& watchers() { return watchers_; }
  Relay& relay() { return relay_; }
  Catalog& catalog() { return parts_.backend->catalog(); }
  const Capabilities& capabilities() const { return parts_.backend->store().capabilities(); }
  // Those of the store, which may change while the node runs.
  std::shared_ptr<const Rules> rules() const { return rules_of(*parts_.backend); }
  std::shared_ptr<const StoredRules> stored_rules() const { return parts_.backend->rules(); }
  // How the rules that this node was opened with differ from the store's, which it obeys.
  std::vector<RuleDifference> rule_conflicts() const;
  const OpenOptions& options() const { return parts_.options; }

 private:
  enum class Phase { fresh, running, stopped };

  Node(NodeParts parts, NodeIdentity identity);
  bool commit_once();
  void commit_until_stopped();
  void tick_until_stopped();
  void listen_until_stopped();
  void start_committers();
  void start_others();
  Result<Nothing> apply_rules();
  Result<Nothing> recover();
  void learn_limits();

  NodeParts parts_;
  const NodeIdentity identity_;
  const std::string secret_;
  Ids ids_;
  Watchers watchers_;
  Relay relay_;
  Alarm committer_;
  Alarm ticker_;
  Engine engine_;
  HintListener hint_listener_;
  std::atomic<Phase> phase_ = Phase::fresh;

  Mutex starting_;  // held by start and stop, which exclude each other
  std::vector<std::jthread> committers_ LONGSHORE_GUARDED_BY(starting_);
  std::vector<std::jthread> others_ LONGSHORE_GUARDED_BY(starting_);
};

// A node on the store behind a URL, not started yet. See open().
Result<std::shared_ptr<Node>> make_node(std::string_view url, const OpenOptions& options);

template <class Wanted>
Result<Wanted> Node::ask_for(Command command) {
  Result<Answered> answered = ask(std::move(command));
  if (!answered) return answered.error();
  if (const auto* refusal = std::get_if<Refusal>(&answered->verdict)) return to_error(*refusal);
  return std::get<Wanted>(std::move(answered->verdict));
}

}  // namespace longshore
