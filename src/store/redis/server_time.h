// What Redis's clock says by now: what it said last, and the time that has passed here since it was
// asked. Redis said it after it was asked, so this is never behind Redis, and whatever anybody was
// told before now has an earlier date. It may be ahead by as long as the question took to arrive:
// the script that writes what was decided by it proves that it is not.
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
  // Redis was asked, and has just answered that it has this time. Both by steady_micros().
  void heard(const std::string& ns, std::int64_t micros, std::int64_t asked_at,
             std::int64_t steady);
  // None if nobody has heard for a while.
  std::optional<Instant> now(const std::string& ns, std::int64_t steady);
  // What was heard has turned out wrong.
  void forget(const std::string& ns);

 private:
  struct Known {
    std::int64_t ahead = 0;     // of the steady clock, at most
    std::int64_t heard_at = 0;  // by the steady clock
  };

  Mutex mutex_;
  std::map<std::string, Known> known_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
