// Reckons what time it is at a server from the dates of its answers, which tell whole seconds.
#pragma once

#include <optional>
#include <string_view>

#include "core/sync/mutex.h"
#include "longshore/time.h"

namespace longshore {

// "Sun, 06 Nov 1994 08:49:37 GMT", and no other form.
std::optional<Instant> parse_http_date(std::string_view text);

// Safe to share between threads.
class ServerClock {
 public:
  // An answer dated `date` was asked for and had at these times of our own wall clock. Each one
  // narrows down how far the two clocks are apart; one that contradicts the others (a clock was
  // set) begins anew.
  void observe(Instant date, Instant sent, Instant received);

  // Ours itself, unless it is known to be wrong: then the middle of what is possible.
  Instant at(Instant ours) const;

 private:
  struct Range {
    Duration least, most;
  };
  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::optional<Range> apart_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
