#include "runtime/os_random.h"

#include <sys/random.h>

#include "core/assert.h"

namespace longshore {

std::uint64_t OsRandom::next() {
  if (left_ == 0) {
    // getrandom() returns up to 256 bytes in one call, without interruption.
    const ssize_t got = ::getrandom(drawn_.data(), sizeof(drawn_), 0);
    LONGSHORE_ASSERT(got == static_cast<ssize_t>(sizeof(drawn_)), "getrandom() succeeds");
    left_ = drawn_.size();
  }
  left_ -= 1;
  return drawn_[left_];
}

}  // namespace longshore
