// What Redis's clock says by now: what it said last, and the time that has passed here since that
// answer came. Redis said it before the answer came, so this is never ahead of Redis, unless its
// clock was set back. It decides nothing: the script that writes what was decided proves it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/mutex.h"
#include "longshore/time.h"

namespace longshore::redis {

// By namespace, since each may live on a server of its own. Safe to share between threads.
class ServerTime {
 public:
  // Redis has just answered that it has this time. `steady`: steady_micros().
  void heard(const std::string& ns, std::int64_t micros, std::int64_t steady);
  // None if nobody has heard for a while.
  std::optional<Instant> now(const std::string& ns, std::int64_t steady);
  // What was heard has turned out wrong.
  void forget(const std::string& ns);

 private:
  struct Known {
    std::int64_t ahead = 0;     // of the steady clock
    std::int64_t heard_at = 0;  // by the steady clock
  };

  Mutex mutex_;
  std::map<std::string, Known> known_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
