// Looks for jobs that nobody starts, where the rules say that a node with a pool of handlers
// answers for them: it runs them, or fails them for want of a handler.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "server/handlers/pool_leases.h"
#include "server/report/log.h"

namespace longshore {

// What a pool does for whom.
struct PoolDuties {
  std::string worker;
  std::set<std::string> queues;
  std::set<std::string> types;
};

// Call from one thread.
class StuckJobs {
 public:
  // `log` must outlive it.
  StuckJobs(std::shared_ptr<Node> node, std::shared_ptr<PoolLeases> leases, PoolDuties pool,
            Log& log);
  StuckJobs(const StuckJobs&) = delete;
  StuckJobs& operator=(const StuckJobs&) = delete;

  // Once the node has started.
  void start();
  void stop();  // idempotent

 private:
  using Kind = std::pair<std::string, std::string>;  // queue and type

  void look();
  std::map<Kind, int> sort_out(const std::vector<JobSummary>& jobs, Instant now);
  Result<Nothing> fail_all(const Kind& kind, int count);

  // Constant after construction.
  const std::shared_ptr<Node> node_;
  const std::shared_ptr<PoolLeases> leases_;  // shared with the pool's worker
  const PoolDuties pool_;
  Log& log_;

  std::optional<JobId> seen_;  // where the last look ended; touched by the thread alone
  std::jthread thread_;
};

}  // namespace longshore
