// Runs handlers inside the server process: a worker like `longshore work` that leases jobs from the
// node directly.
#pragma once

#include <memory>
#include <string>

#include "longshore/worker.h"
#include "runtime/node/node.h"
#include "server/handlers/stuck_jobs.h"
#include "server/report/log.h"
#include "server/settings/settings.h"

namespace longshore {

// Call from one thread.
class Pool {
 public:
  // Null if the settings have no handlers. Errc::invalid for an invalid handler. `log` must
  // outlive the pool.
  static Result<std::unique_ptr<Pool>> make(const Settings& settings, std::shared_ptr<Node> node,
                                            Log& log);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Call after the node has started. Errc::invalid for invalid worker options.
  Result<Nothing> start();
  // Leases no more jobs; after a few seconds, releases those still running. Idempotent.
  void stop();

 private:
  Pool(std::shared_ptr<Leases> leases, WorkerOptions options, Log& log);

  Log& log_;
  const std::string name_;
  Worker worker_;
  std::unique_ptr<StuckJobs> stuck_;
  bool running_ = false;
};

}  // namespace longshore
