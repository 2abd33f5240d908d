// A wake-up is a hint that a queue may have become worth looking at. It may come for nothing
// and it may be lost; correctness and a bounded delay never depend on one.
#pragma once

#include <string>
#include <vector>

#include "longshore/time.h"

namespace longshore {

// Safe to share between threads.
class Wakeups {
 public:
  virtual ~Wakeups() = default;

  // Blocks until something may have happened or `longest` has passed by the caller's own
  // patience, whichever is first. Returns the queues named in hints since the last call, as
  // "namespace/queue"; empty is an ordinary answer.
  virtual std::vector<std::string> wait(Duration longest) = 0;

  // Makes every wait return at once, now and later. Idempotent.
  virtual void stop() = 0;
};

}  // namespace longshore
