// Hints that a queue may be worth a look, from this process and from others, who are told and heard
// by Redis's publishing. Nothing depends on any of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/wakeups.h"
#include "store/notifications/local_wakeups.h"
#include "store/redis/channel.h"

namespace longshore::redis {

class RedisWakeups final : public Wakeups {
 public:
  // The channel must outlive it.
  explicit RedisWakeups(Channel& channel);
  ~RedisWakeups() override;

  std::vector<std::string> wait(Duration longest) override;
  void stop() override;

  // For whoever waits here and elsewhere.
  void hint(std::set<std::string> queues);

 private:
  void start_listening();
  void listen(Subscription& subscription);
  void tell();

  Channel& channel_;
  const std::string name_;  // of what is published to

  LocalWakeups here_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> news_ LONGSHORE_GUARDED_BY(mutex_);
  bool closing_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Subscription> subscription_ LONGSHORE_GUARDED_BY(mutex_);
  std::thread listener_ LONGSHORE_GUARDED_BY(mutex_);
  std::thread teller_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
