// A wake-up is a hint that a queue may have jobs. It can be spurious, and it can be lost;
// correctness and bounded latency do not depend on it.
#pragma once

#include <string>
#include <vector>

#include "longshore/time.h"

namespace longshore {

// Safe to share between threads.
class Wakeups {
 public:
  virtual ~Wakeups() = default;

  // Blocks until a hint arrives or `longest` has passed. Returns the queues of the hints since the
  // last call, as "namespace/queue"; may be empty.
  virtual std::vector<std::string> wait(Duration longest) = 0;

  // Makes current and later waits return at once. Idempotent.
  virtual void stop() = 0;
};

}  // namespace longshore
