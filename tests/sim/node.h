// A simulated node: the real engine, driven by fibers instead of threads, with its own clock, and a
// connection to the store that loses calls. It can crash at any switch and restart.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/leases/lease_poll_registry.h"
#include "engine/engine.h"
#include "sim/world.h"

namespace longshore::sim {

// A caller that waits for an answer.
struct Box {
  Signal signal;
  std::optional<Result<Answered>> answer;
  bool closed = false;  // the node crashed; no answer will come
  std::optional<Dispatcher::Ticket> ticket;
};
using BoxRef = std::shared_ptr<Box>;  // shared with the callback inside the engine

// The connection to the store. Every call is a fiber switch, before and after.
class NodeStore final : public Store {
 public:
  NodeStore(World& world, Node& node) : world_(world), node_(node) {}

  Result<Committed> commit(std::span<const Command> commands) override;
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  Result<Committed> reach(std::span<const Command> commands);
  Result<Committed> reach_rashly(std::span<const Command> commands);
  Result<Committed> answer_early(std::span<const Command> commands);
  std::vector<std::int64_t> record_own(std::span<const Command> commands);
  void record_answers(const std::vector<std::int64_t>& ops, const Result<Committed>& outcome);
  void note_releases(std::span<const Command> commands, const std::vector<std::int64_t>& ops,
                     const Committed& committed);
  void spread_hints(const Committed& committed);

  World& world_;
  Node& node_;
  const Capabilities capabilities_ = {.name = "simulated", .shared = true};
  bool has_failed_ = false;            // for an injected defect
  std::vector<Command> not_yet_said_;  // for another
};

class Poll;
using PollRef = std::shared_ptr<Poll>;  // shared with the claim under way

class Node {
 public:
  Node(World& world, int number);
  ~Node();

  // Starts after `outage`. REQUIRES: not running.
  void boot(Duration outage);
  bool up() const { return engine_ != nullptr && !stopping_; }

  // REQUIRES: up(). A claim waits this long for a job.
  BoxRef take(Command command, Duration wait);
  // The caller has disconnected.
  void forget(const BoxRef& box);
  // REQUIRES: up(). The same claim through the API, where it may be repeated.
  PollRef poll(Claim claim, Duration wait);

  // The process crashes. Not from within a fiber.
  void crash(bool power);
  // Destroys the node without answers. Not from within a fiber.
  void vanish();
  // A graceful stop: answers what waits. Crashes after `grace`.
  void stop(Duration grace);
  void shift_clock(Duration by) { skew_ += by; }
  void hint();

  const std::string& name() const { return name_; }
  const NodeId& id() const { return id_; }
  Process process() const { return process_; }
  Instant now() const;  // by its own clock

 private:
  class SignalWaker final : public Waker {
   public:
    explicit SignalWaker(World& world) : world_(world) {}
    void wake() override { world_.scheduler.ring(signal); }
    Signal signal;

   private:
    World& world_;
  };

  void start();
  void announce();
  RulesNow rules();
  void commit_for_ever();
  void tick_for_ever();

  World& world_;
  const std::string name_;
  const Process process_;
  const NodeId id_;
  Duration skew_;
  bool stopping_ = false;
  bool hinted_ = false;
  std::int64_t next_box_ = 0;
  std::map<std::int64_t, BoxRef> boxes_;
  std::unique_ptr<NodeStore> store_;
  std::unique_ptr<SignalWaker> committer_;
  std::unique_ptr<SignalWaker> ticker_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<LeasePollRegistry> desk_;
  std::vector<std::weak_ptr<Poll>> polls_;
};

}  // namespace longshore::sim
