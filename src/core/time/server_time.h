// What a server's clock says by now: what it said last, and the time that has passed here since it
// was asked. It said so after it was asked, so this is never behind it, and whatever anybody was
// told before now has an earlier date. It may be ahead by as long as the question took to arrive:
// whoever decides by it has the server prove that it is not when the decision gets there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/sync/mutex.h"

namespace longshore {

// Of several servers, by a name. In microseconds. Safe to share between threads.
class ServerTime {
 public:
  // The server was asked, and has just answered that it has this time. Both by steady_micros().
  void heard(const std::string& server, std::int64_t micros, std::int64_t asked_at,
             std::int64_t steady);
  // None if nobody has heard for a while.
  std::optional<std::int64_t> now(const std::string& server, std::int64_t steady);
  // What was heard has turned out wrong.
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
