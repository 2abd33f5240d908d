// Locks out addresses that sent too many invalid tokens.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/sync/mutex.h"
#include "longshore/time.h"

namespace longshore {

struct LockoutLimits {
  int failures = 60;                        // within the span below: then locked out
  Duration span = Duration::seconds(60);    // in which failures are counted
  Duration locked = Duration::seconds(60);  // how long
  std::size_t peers_remembered = 10'000;    // addresses: bounds the memory
};

// Safe to share between threads. Times must be monotonic.
class Lockout {
 public:
  explicit Lockout(const LockoutLimits& limits = {}) : limits_(limits) {}

  // How much longer this peer is locked out; nothing if it is not.
  std::optional<Duration> locked_for(const std::string& peer, Instant now);
  void failed(const std::string& peer, Instant now);

  std::size_t remembered() const;

 private:
  struct Record {
    Instant began;  // of the current span
    int failures = 0;
    std::optional<Instant> locked_until;
  };

  bool is_over(const Record& record, Instant now) const;
  void make_room(Instant now);

  const LockoutLimits limits_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<std::string, Record> records_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
