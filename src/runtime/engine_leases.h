// Leases for workers in the node's own process, directly from the engine.
#pragma once

#include <memory>

#include "longshore/leases.h"
#include "runtime/node/node.h"

namespace longshore {

class EngineLeases final : public Leases {
 public:
  // The node is shared with the Longshore it belongs to.
  explicit EngineLeases(std::shared_ptr<Node> node) : node_(std::move(node)) {}

  Result<Turned> turn(Turn turn, std::stop_token stop) override;
  void begin_turn(Turn turn, std::stop_token stop, Answer answer) override;
  Instant now() override { return node_->time().now(); }
  void wait_until(Instant at, std::stop_token stop) override;

 private:
  std::optional<Error> fill_in(Turn& turn);
  std::string worker_name(const std::string& given) const;

  const std::shared_ptr<Node> node_;
};

}  // namespace longshore
