// Hints that a queue may be worth a look, from this process and from others. Others are heard by
// LISTEN and told by NOTIFY on one connection of its own, whose thread joins what it has to tell
// while it is busy, and for an instant after, into one notification. Nothing depends on any of it:
// a listener that hears nothing, behind a pooler for instance, notices that it does not hear
// itself.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/wakeups.h"
#include "store/notifications/local_wakeups.h"
#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

class PostgresWakeups final : public Wakeups {
 public:
  // `target` must outlive it.
  explicit PostgresWakeups(const Target& target);
  ~PostgresWakeups() override;

  std::vector<std::string> wait(Duration longest) override;
  void stop() override;

  // For whoever waits here and elsewhere.
  void hint(std::set<std::string> queues);

  // Whether the listener has heard itself lately.
  bool hears() const { return hears_.load(); }

 private:
  void start();
  void run();
  // Until the connection is lost or the store closes.
  void serve(Connection& connection);
  bool tell(Connection& connection, const std::string& text);
  std::string take_news();
  void ring();
  // True if something is to be done; false after the time has passed.
  bool wait_for(int socket, int millis);

  const Target& target_;
  const int bell_;  // an eventfd: there is something to tell, or the end has come
  std::atomic<bool> closing_ = false;
  std::atomic<bool> hears_ = false;

  LocalWakeups here_;
  Mutex mutex_;
  std::set<std::string> news_ LONGSHORE_GUARDED_BY(mutex_);
  std::thread thread_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::postgres
