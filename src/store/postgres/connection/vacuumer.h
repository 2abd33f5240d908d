// Sweeps the tables that jobs pass through. What a claim or a settlement deleted stays in their
// indexes until a vacuum, and the next claim steps over all of it: after 30,000 claims, over 200
// pages. The server's own vacuum comes once a minute unless somebody set it otherwise, so whoever
// claims much sweeps in between.
#pragma once

#include <cstdint>

#include "core/sync/mutex.h"
#include "longshore/time.h"
#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

// May be used by several threads.
class Vacuumer {
 public:
  // Told after each commit how many jobs it handed out. True for the one caller that is to sweep.
  bool is_due(std::int64_t handed_out, Instant now);
  // Right after a commit at `now`, outside of any transaction. A table that somebody else vacuums
  // is left to them. What goes wrong stays the connection's trouble, and harms nothing.
  void sweep(Connection& connection, Instant now);

 private:
  Mutex mutex_;
  std::int64_t handed_out_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  Instant not_before_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::postgres
