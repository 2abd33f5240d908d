// Estimates the time of a server's clock: its last answer plus the local time since the request was
// sent. The estimate is never behind the server's clock, so it is later than all times that the
// server has given out. It can be ahead by the latency of the request: a decision based on it must
// have the server check the time when the decision arrives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/sync/mutex.h"

namespace longshore {

// For several servers, by name. In microseconds. Safe to share between threads.
class ServerTime {
 public:
  // The server has just answered with `micros`. `asked_at` and `steady` are of steady_micros().
  void heard(const std::string& server, std::int64_t micros, std::int64_t asked_at,
             std::int64_t steady);
  // None without a recent answer.
  std::optional<std::int64_t> now(const std::string& server, std::int64_t steady);
  // Discards an estimate that turned out wrong.
  void forget(const std::string& server);

 private:
  struct Known {
    std::int64_t ahead = 0;     // of the steady clock, at most
    std::int64_t heard_at = 0;  // by the steady clock
  };

  Mutex mutex_;
  std::map<std::string, Known> known_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
