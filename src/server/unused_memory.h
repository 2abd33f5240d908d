// The allocator keeps freed memory for later use; after a burst of requests this can be most of the
// process.
#pragma once

#include <chrono>

namespace longshore {

// Call from one thread. A call can take a few milliseconds.
class UnusedMemory {
 public:
  // Returns freed memory to the system if there is much of it, at most every ten seconds.
  void give_back();

 private:
  std::chrono::steady_clock::time_point next_ = {};
};

}  // namespace longshore
