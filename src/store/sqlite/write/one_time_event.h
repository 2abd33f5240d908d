// Where threads wait for one event. They sleep at once: the standard's own waiting first spins and
// yields, and with many threads behind few processors that costs more than the work they wait for.
// Who rings wakes one of them, and that one the others: waking a crowd takes as long as writing
// what it asked for, and whoever rings has more to do.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace longshore::sqlite {

class OneTimeEvent {
 public:
  // How often it has rung so far; to be read before looking whether there is reason to wait.
  std::uint32_t rung() const { return rung_.load(std::memory_order_acquire); }
  // Returns once it has rung since `seen` was read; also for nothing.
  void wait(std::uint32_t seen) {
    call(FUTEX_WAIT_PRIVATE, seen);
    if (passing_on_.exchange(false)) call(FUTEX_WAKE_PRIVATE, INT_MAX);
  }

  // What was written before is seen by all who wake.
  void ring() {
    rung_.fetch_add(1, std::memory_order_release);
    passing_on_ = true;
    call(FUTEX_WAKE_PRIVATE, 1);
  }

 private:
  void call(int operation, std::uint32_t value) {
    ::syscall(SYS_futex, &rung_, operation, value, nullptr, nullptr, 0);
  }

  std::atomic<std::uint32_t> rung_ = 0;
  std::atomic<bool> passing_on_ = false;  // somebody was woken who is to wake the others
  static_assert(sizeof(rung_) == sizeof(std::uint32_t));
};

}  // namespace longshore::sqlite
