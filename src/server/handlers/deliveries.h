// Delivers callbacks from the server: one worker pool per namespace that has callbacks.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "client/delivery/push.h"
#include "core/sync/mutex.h"
#include "runtime/node/node.h"
#include "server/report/log.h"
#include "server/settings/settings.h"

namespace longshore {

class WorkerPool;

// Safe to share between threads.
class Deliveries {
 public:
  // Errc::invalid for invalid settings. REQUIRES: the node was not started; it and `log` outlive
  // the deliveries.
  static Result<std::unique_ptr<Deliveries>> make(const Settings& settings,
                                                  std::shared_ptr<Node> node, Log& log);
  ~Deliveries();
  Deliveries(const Deliveries&) = delete;
  Deliveries& operator=(const Deliveries&) = delete;

  // Starts, with callbacks left from earlier runs. Call after the node has started.
  void start();
  // Waits briefly for deliveries in progress and releases the rest. Idempotent.
  void stop();

 private:
  Deliveries(std::shared_ptr<Node> node, Log& log, std::shared_ptr<const WebhookSender> postman);
  void look_at(const Committed& committed);
  void wanted(const std::string& ns);
  void run(const std::stop_token& stop);
  void begin(const std::string& ns);
  std::set<std::string> left_over();

  // Constant after construction.
  const std::shared_ptr<Node> node_;
  Log& log_;
  const std::shared_ptr<const WebhookSender> postman_;
  Duration timeout_;
  int concurrency_ = 0;

  Mutex mutex_;
  std::condition_variable_any came_;
  // Guarded by mutex_.
  std::set<std::string> known_ LONGSHORE_GUARDED_BY(mutex_);  // namespaces with a pool, now or soon
  std::set<std::string> wanted_ LONGSHORE_GUARDED_BY(mutex_);  // namespaces that need a pool
  std::map<std::string, std::shared_ptr<WorkerPool>> crews_;   // used by the thread, then by stop()
  std::jthread thread_;
};

}  // namespace longshore
