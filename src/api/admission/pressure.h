// How much more work waits than is being done, and who is turned away because of it.
#pragma once

#include <cstddef>
#include <optional>

#include "api/wire/route.h"
#include "core/sync/mutex.h"
#include "longshore/store.h"

namespace longshore {

// Delays of the commit queue beyond which requests are refused.
struct PressureLimits {
  Duration listing = Duration::millis(500);
  Duration enqueue = Duration::seconds(1);
  Duration lease = Duration::seconds(2);
  std::size_t waiting_min = 256;  // fewer waiting commands never turn anybody away
  // More turn listing and enqueuing away however fast they go: a request is refused before it is
  // read, and not when it finds no room in the queue.
  std::size_t waiting_max = 48 * 1024;
};

// Safe to share between threads.
class Pressure {
 public:
  explicit Pressure(const PressureLimits& limits) : limits_(limits) {}

  // After each commit: what it did, when it ended, and how much waits behind it.
  void note(const Committed& committed, Instant now, std::size_t waiting);

  // How long what waits will take; nothing until a busy spell has shown how fast it goes.
  std::optional<Duration> delay(std::size_t waiting) const;

  // Seconds after which to come back, if a request of this load is to be refused now.
  std::optional<int> refuses(Load load, std::size_t waiting) const;
  // Seconds after which what waits now should be done; at least one.
  int retry_after(std::size_t waiting) const;

  double jobs_per_second() const;  // while busy; 0 if that was never seen

 private:
  const PressureLimits limits_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  double rate_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  // The busy spell being measured: since when, and how many jobs so far.
  std::optional<Instant> busy_since_ LONGSHORE_GUARDED_BY(mutex_);
  std::size_t done_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

}  // namespace longshore
