// The leases of a server until its Longshore is stopped.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "client/server/server_caller.h"
#include "client/server/server_leases.h"

namespace longshore {

class StoppableLeases final : public Leases {
 public:
  StoppableLeases(std::shared_ptr<ServerCaller> caller, std::string worker,
                  std::unique_ptr<Random> random)
      : caller_(std::move(caller)),
        leases_(caller_->shared_http(), std::move(worker), std::move(random)) {}

  Result<Turned> turn(Turn turn, std::stop_token stop) override;
  Instant now() override { return leases_.now(); }
  void wait_until(Instant at, std::stop_token stop) override {
    leases_.wait_until(at, std::move(stop));
  }

 private:
  const std::shared_ptr<ServerCaller> caller_;
  ServerLeases leases_;
};

}  // namespace longshore
