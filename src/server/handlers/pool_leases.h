// The node's own leases, for a pool that also looks after jobs which nobody starts: of queues that
// it does not visit otherwise, it takes what has been queued for too long.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "core/sync/mutex.h"
#include "runtime/engine_leases.h"

namespace longshore {

// Whether a node with a pool runs or fails jobs that nobody else starts.
bool answers_for_stuck_jobs(const Rules& rules);

// Safe to share between threads.
class PoolLeases final : public Leases {
 public:
  explicit PoolLeases(std::shared_ptr<Node> node);

  // Jobs of this queue are stuck. A claim asks for them first, until it finds none any more.
  void add_late(const std::string& queue);

  Result<Turned> turn(Turn turn, std::stop_token stop) override;
  void begin_turn(Turn turn, std::stop_token stop, Answer answer) override;
  Instant now() override { return inner_.now(); }
  void wait_until(Instant at, std::stop_token stop) override;

 private:
  std::set<std::string> late();
  void forget(const std::set<std::string>& queues);

  // Constant after construction.
  EngineLeases inner_;
  const std::shared_ptr<Node> node_;

  Mutex mutex_;
  std::set<std::string> late_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
