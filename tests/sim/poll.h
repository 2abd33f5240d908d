// A long poll of a remote worker: the lease path of the HTTP API with a simulated connection
// instead of a socket. The connection can be cut at any time; the node notices at once, when it
// writes, or never.
#pragma once

#include <memory>
#include <optional>

#include "api/leases/lease_call.h"
#include "sim/node.h"
#include "sim/world.h"

namespace longshore::sim {

class Poll final : public LeaseCall {
 public:
  Poll(World& world, Node& node, Engine& engine) : LeaseCall(engine), world_(world), node_(node) {}

  // ---- The worker's end of the connection

  const Signal& signal() const { return signal_; }
  bool is_dead() const { return dead_; }  // the node crashed; no answer will come
  const std::optional<Result<Answered>>& answer() const { return answer_; }
  // The answer was read.
  void hear();
  // Disconnects. The answer may have been written already.
  void hang_up();

  // ---- The node's end

  // The process crashes with all its calls.
  void die();

 private:
  Instant now() override { return node_.now(); }
  void deliver(Result<Answered> answered) override;
  void finish(bool written);

  World& world_;
  Node& node_;
  Signal signal_;
  std::optional<Result<Answered>> answer_;
  bool heard_ = false;
  bool hung_up_ = false;
  bool dead_ = false;
};

}  // namespace longshore::sim
