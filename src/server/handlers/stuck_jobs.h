// Finds stuck jobs, if the rules make nodes with a pool responsible for them: runs them, or fails
// them if there is no handler.
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

// The queues and handlers of a pool.
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

  // Call after the node has started.
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

  std::optional<JobId> seen_;  // where the last scan ended; used only by the thread
  std::jthread thread_;
};

}  // namespace longshore
