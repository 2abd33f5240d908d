// The allocator keeps what was freed for later use; after a flood of requests that can be most of
// the process.
#pragma once

#include <chrono>

namespace longshore {

// Used on one thread, which may take a few milliseconds.
class UnusedMemory {
 public:
  // Gives freed memory back to the system if there is much of it; at most every ten seconds.
  void give_back();

 private:
  std::chrono::steady_clock::time_point next_ = {};
};

}  // namespace longshore
