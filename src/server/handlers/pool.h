// Handlers in the server's own process: a worker like those of `longshore work`, which asks the
// node itself.
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
  // Null if the settings ask for none. Errc::invalid for a handler that cannot run. `log` must
  // outlive the pool.
  static Result<std::unique_ptr<Pool>> make(const Settings& settings, std::shared_ptr<Node> node,
                                            Log& log);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Once the node has started. Errc::invalid for options that a worker cannot have.
  Result<Nothing> start();
  // Takes no more jobs; what is not done within seconds is given back, uncounted. Idempotent.
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
