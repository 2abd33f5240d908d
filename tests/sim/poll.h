// A call for work as a worker of its own makes it: the lease path of the HTTP API (the lease desk,
// polls named by their requestId, the lease call), with a line in place of the socket. The line can
// be cut at any moment; the node notices, or only finds out when it writes, or never.
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

  // ---- The worker's end of the line

  const Signal& signal() const { return signal_; }
  bool is_dead() const { return dead_; }  // the node died, and no answer will come
  const std::optional<Result<Answered>>& answer() const { return answer_; }
  // It has read the answer.
  void hear();
  // It is at the line no more. What was answered may have been written all the same.
  void hang_up();

  // ---- The node's

  // The process dies with all its calls.
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
