#include "runtime/os_random.h"

#include <sys/random.h>

#include "core/assert.h"

namespace longshore {

std::uint64_t OsRandom::next() {
  if (left_ == 0) {
    // Up to 256 bytes come whole and uninterrupted once the system's pool is ready.
    const ssize_t got = ::getrandom(drawn_.data(), sizeof(drawn_), 0);
    LONGSHORE_ASSERT(got == static_cast<ssize_t>(sizeof(drawn_)), "the system gives randomness");
    left_ = drawn_.size();
  }
  left_ -= 1;
  return drawn_[left_];
}

}  // namespace longshore
