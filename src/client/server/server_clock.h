// Estimates a server's clock from the Date headers of its responses, which have whole seconds.
#pragma once

#include <optional>
#include <string_view>

#include "core/sync/mutex.h"
#include "longshore/time.h"

namespace longshore {

// Only the form "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<Instant> parse_http_date(std::string_view text);

// Safe to share between threads.
class ServerClock {
 public:
  // A response dated `date` was requested at `sent` and received at `received`, by the local wall
  // clock. Each one narrows the possible offset; a contradiction (a clock was set) resets it.
  void observe(Instant date, Instant sent, Instant received);

  // The local time, corrected by the middle of the possible offsets if it is known to be wrong.
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
