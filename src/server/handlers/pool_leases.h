// The node's leases, for a pool that also runs stuck jobs: jobs of other queues that have been
// queued for too long.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "core/sync/mutex.h"
#include "runtime/engine_leases.h"

namespace longshore {

// Whether a node with a pool runs or fails stuck jobs.
bool answers_for_stuck_jobs(const Rules& rules);

// Safe to share between threads.
class PoolLeases final : public Leases {
 public:
  explicit PoolLeases(std::shared_ptr<Node> node);

  // Reports a queue with stuck jobs. Claims try it first until it is empty.
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
