// What all parts of a channel count, and whom they tell.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "core/sync/mutex.h"
#include "store/redis/channel.h"

namespace longshore::redis {

// Safe to share between threads.
class Tally {
 public:
  explicit Tally(std::function<void(const std::string&)> alarm) : alarm_(std::move(alarm)) {}

  std::atomic<std::int64_t> exchanges = 0;
  std::atomic<std::int64_t> moved = 0;
  std::atomic<std::int64_t> asked = 0;
  std::atomic<std::int64_t> tried = 0;
  std::atomic<std::int64_t> connected = 0;
  std::atomic<std::int64_t> lost = 0;
  std::atomic<std::int64_t> short_waits = 0;
  std::atomic<std::int64_t> went_back = 0;
  std::atomic<std::int64_t> seconds = 0;  // roughly, since the channel was opened

  Counts counts() const {
    return {.exchanges = exchanges,
            .moved = moved,
            .asked = asked,
            .tried = tried,
            .connected = connected,
            .lost = lost,
            .short_waits = short_waits,
            .went_back = went_back};
  }

  // One at a time.
  void alarm(const std::string& text) {
    if (!alarm_) return;
    MutexLock lock(mutex_);
    alarm_(text);
  }

 private:
  Mutex mutex_;
  const std::function<void(const std::string&)> alarm_;
};

}  // namespace longshore::redis
