// Load shedding: estimates how long waiting commands take, and refuses requests by their load.
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
  std::size_t waiting_min = 256;  // with fewer waiting commands, nothing is refused
  // With more, listing and enqueue are refused whatever the delay: before the request is read, not
  // when the queue is full.
  std::size_t waiting_max = 48 * 1024;
};

// Safe to share between threads.
class Pressure {
 public:
  explicit Pressure(const PressureLimits& limits) : limits_(limits) {}

  // After each commit: its result, its end, and how many commands wait.
  void note(const Committed& committed, Instant now, std::size_t waiting);

  // How long the waiting commands will take; nothing until the rate was measured.
  std::optional<Duration> delay(std::size_t waiting) const;

  // Retry-After in seconds, if a request of this load is to be refused now.
  std::optional<int> refuses(Load load, std::size_t waiting) const;
  // Retry-After in seconds for the present delay; at least 1.
  int retry_after(std::size_t waiting) const;

  double jobs_per_second() const;  // while busy; 0 if not measured yet

 private:
  const PressureLimits limits_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  double rate_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  // The busy period being measured: its begin, and the jobs so far.
  std::optional<Instant> busy_since_ LONGSHORE_GUARDED_BY(mutex_);
  std::size_t done_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

}  // namespace longshore
