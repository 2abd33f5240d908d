// A subscription: a thread with a connection of its own that hears what is published.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "core/sync/mutex.h"
#include "store/redis/channel.h"
#include "store/redis/link.h"
#include "store/redis/tally.h"
#include "store/redis/topology.h"

namespace longshore::redis {

class Listener final : public Subscription {
 public:
  // All must outlive the listener. `tls` may be null.
  Listener(const Url& url, const TlsContext* tls, Topology& topology, Tally& tally,
           std::vector<std::string> channels);
  ~Listener() override;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::vector<Message> wait(Duration longest) override;
  bool hears() const override { return hears_; }
  void stop() override;

 private:
  void run();
  void serve(Link& link);
  // False when the connection is to be made anew.
  bool hear(const Reply& reply);
  bool wait_for_bell(int millis) const;

  // Constant after construction.
  const Url& url_;
  const TlsContext* const tls_;
  Topology& topology_;
  Tally& tally_;
  const std::vector<std::string> channels_;
  const int slot_;
  const int bell_;

  std::atomic<bool> closing_ = false;
  std::atomic<bool> hears_ = false;

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::deque<Message> heard_ LONGSHORE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace longshore::redis
