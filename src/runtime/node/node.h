// A node: an engine and the threads that drive it, for clients and workers of this process. Used by
// the library and by the server.
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

// The parts of a node. Each may use those declared before it.
struct NodeParts {
  std::shared_ptr<Timekeeper> time;  // shared with tests that move it
  std::unique_ptr<Random> random;
  std::unique_ptr<Backend> backend;
  Rules rules;  // requested; the store's own apply
  OpenOptions options;
  Pause pause = pause_thread;  // used while watching another node with the same identity
};

// Safe to share between threads. Owned by the Longshore that stops it, and by clients and leases,
// which may outlive it.
class Node {
 public:
  // Determines the identity of the node and starts nothing; see identify().
  static Result<std::shared_ptr<Node>> make(NodeParts parts);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Starts the threads and recovers the jobs that this node's workers held before. On failure the
  // node is stopped. Refused once stopped.
  Result<Nothing> start();
  // Grants no more leases, commits what was submitted so far, and refuses later commands.
  // Idempotent, safe from several threads, and may come before start.
  void stop();

  // Called with the queues ("namespace/queue") that another node may have changed.
  // REQUIRES: the node has not been started.
  using HintListener = std::function<void(const std::vector<std::string>& queues)>;
  void listen_for_hints(HintListener listener) { hint_listener_ = std::move(listener); }

  // Blocks until the command is answered.
  Result<Answered> ask(Command command);
  // The same, with a refusal as an Error.
  template <class Wanted>
  Result<Wanted> ask_for(Command command);

  // None if the node is running; otherwise why it is not.
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
  // A secret that all nodes of the store share.
  const std::string& secret() const { return secret_; }

  // Why this node could not use the identity of its name or file; empty if it could.
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
  // The store's rules, which may change while the node runs.
  std::shared_ptr<const Rules> rules() const { return rules_of(*parts_.backend); }
  std::shared_ptr<const StoredRules> stored_rules() const { return parts_.backend->rules(); }
  // The differences between the rules requested for this node and the store's, which apply.
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

  Mutex starting_;  // held by start and stop
  std::vector<std::jthread> committers_ LONGSHORE_GUARDED_BY(starting_);
  std::vector<std::jthread> others_ LONGSHORE_GUARDED_BY(starting_);
};

// A node for the store of a URL, not started. See open().
Result<std::shared_ptr<Node>> make_node(std::string_view url, const OpenOptions& options);

template <class Wanted>
Result<Wanted> Node::ask_for(Command command) {
  Result<Answered> answered = ask(std::move(command));
  if (!answered) return answered.error();
  if (const auto* refusal = std::get_if<Refusal>(&answered->verdict)) return to_error(*refusal);
  return std::get<Wanted>(std::move(answered->verdict));
}

}  // namespace longshore
