#include "runtime/node/node.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace longshore {
namespace {

// Passes an answer from the committing thread to the caller.
struct Reply {
  std::optional<Result<Answered>> answer;  // published by the signal
  Signal came;
};

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

// Stores without a stored secret have one node, whose id is kept with the data.
std::string secret_of(const Backend& backend, const NodeId& id) {
  std::string kept = backend.secret();
  return kept.empty() ? to_hex(id) : kept;
}

EngineOptions engine_options(const NodeParts& parts, NodeId id, NodeId run) {
  const Backend* backend = parts.backend.get();
  return {.node = id,
          .run = run,
          .name = parts.options.node_name,
          .rules = [backend] { return rules_of(*backend); },
          .limits = {},
          .recovery = parts.options.recovery};
}

}  // namespace

Result<std::shared_ptr<Node>> Node::make(NodeParts parts) {
  Result<NodeIdentity> identity =
      identify(*parts.backend, *parts.random, parts.options, parts.pause);
  if (!identity) return identity.error();
  if (parts.options.node_name.empty()) parts.options.node_name = host_name();
  return std::shared_ptr<Node>(new Node(std::move(parts), std::move(*identity)));
}

Node::Node(NodeParts parts, NodeIdentity identity)
    : id(identity.id),
      parts_(std::move(parts)),
      identity_(std::move(identity)),
      secret_(secret_of(*parts_.backend, id)),
      ids_(std::move(parts_.random)),
      committer_(*parts_.time),
      ticker_(*parts_.time),
      engine_(parts_.backend->store(), committer_, ticker_,
              engine_options(parts_, id, ids_.any<NodeId>())) {
  engine_.listen([this](const Committed& committed) { watchers_.on_commit(committed); });
}

Node::~Node() { stop(); }

Result<Nothing> Node::start() {
  Result<Nothing> started = Nothing();
  {
    MutexLock lock(starting_);
    if (phase_ == Phase::running) return Nothing();
    if (phase_ == Phase::stopped) return *out_of_service();
    phase_ = Phase::running;
    start_committers();
    // Before the first tick, so that leases which expired while no node was running get their
    // grace.
    started = apply_rules();
    if (started) started = recover();
    if (started) {
      learn_limits();
      start_others();
    }
  }
  if (!started) stop();
  return started;
}

void Node::start_committers() {
  starting_.assert_held();
  for (int i = 0; i < std::max(capabilities().max_concurrent_commits, 1); ++i) {
    committers_.emplace_back([this] { commit_until_stopped(); });
  }
}

void Node::start_others() {
  starting_.assert_held();
  others_.emplace_back([this] { tick_until_stopped(); });
  // A store that is not shared changes only by this node's commits.
  if (capabilities().shared) others_.emplace_back([this] { listen_until_stopped(); });
}

// Another node may have applied the same revision before; its rules are then used.
Result<Nothing> Node::apply_rules() {
  const OpenOptions& options = parts_.options;
  if (options.rules_revision <= stored_rules()->revision(options.rules_source)) return Nothing();
  Result<Answered> answered = ask(SetRules{.ns = options.ns,
                                           .rules = changeable_rules(parts_.rules),
                                           .source = options.rules_source,
                                           .revision = options.rules_revision,
                                           .only_if_newer = true,
                                           .actor = {.name = "node " + options.node_name}});
  if (!answered) return answered.error();
  const auto* refusal = std::get_if<Refusal>(&answered->verdict);
  if (refusal != nullptr && refusal->code != Code::old_revision) return to_error(*refusal);
  return Nothing();
}

std::vector<RuleDifference> Node::rule_conflicts() const {
  return differences(*rules(), parts_.rules);
}

Result<Nothing> Node::recover() {
  Result<Swept> recovered = ask_for<Swept>(StartNode{.node = id, .name = parts_.options.node_name});
  if (!recovered) return recovered.error();
  note_start(identity_, catalog());
  return Nothing();
}

// An error is ignored: the store enforces the limits in any case.
void Node::learn_limits() {
  if (const Result<Configure> rules = catalog().configuration()) engine_.set_limits(*rules);
}

void Node::stop() {
  MutexLock lock(starting_);
  if (phase_.exchange(Phase::stopped) == Phase::stopped) return;
  engine_.stop_dispatching();
  committer_.wake_forever();
  committers_.clear();  // joins; each commits until the queue is empty
  engine_.stop();
  watchers_.stop();
  ticker_.wake_forever();
  parts_.backend->wakeups().stop();
  others_.clear();
}

void Node::commit_until_stopped() {
  while (true) {
    if (commit_once()) continue;
    relay_.wake_all();
    if (phase_ == Phase::stopped) return;
    committer_.wait();
  }
}

bool Node::commit_once() {
  const Relay::Gathering gathering(relay_);
  return engine_.commit_once();
}

void Node::tick_until_stopped() {
  while (phase_ != Phase::stopped) ticker_.wait_until(engine_.tick(time().now()));
}

void Node::listen_until_stopped() {
  while (phase_ != Phase::stopped) {
    const std::vector<std::string> queues = parts_.backend->wakeups().wait(Duration::seconds(1));
    if (queues.empty()) continue;
    engine_.hint();
    if (hint_listener_) hint_listener_(queues);
  }
}

Result<Answered> Node::ask(Command command) {
  if (auto error = out_of_service()) return *error;
  // Shared with the callback and the relay, which may use it after this thread has returned.
  auto reply = std::make_shared<Reply>();
  engine_.submit(std::move(command), [this, reply](Result<Answered> answer) {
    reply->answer = std::move(answer);
    relay_.announce(Relay::Sleeper(reply, &reply->came));
  });
  reply->came.wait();
  relay_.pass_on();
  return std::move(*reply->answer);
}

std::optional<Error> Node::out_of_service() const {
  switch (phase_.load()) {
    case Phase::running:
      return std::nullopt;
    case Phase::fresh:
      return Error{Errc::refused, "this Longshore has not been started"};
    case Phase::stopped:
      break;
  }
  return Error{Errc::refused, "this Longshore has been stopped; open the store again to use it"};
}

}  // namespace longshore
