#include "worker/program/descriptor.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>

#include "core/assert.h"

namespace longshore {

Descriptor::~Descriptor() { close(); }

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

EventFile::EventFile() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  LONGSHORE_ASSERT(descriptor_.is_open(), "eventfd succeeds");
}

void EventFile::signal() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(descriptor_.number(), &one, sizeof(one));
}

TimerFile::TimerFile()
    : descriptor_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  LONGSHORE_ASSERT(descriptor_.is_open(), "timerfd_create succeeds");
}

void TimerFile::set(Duration after) const {
  // Zero would disarm the timer.
  const std::int64_t millis = after.count() > 0 ? after.count() : 1;
  struct itimerspec when = {};
  when.it_value.tv_sec = millis / 1000;
  when.it_value.tv_nsec = millis % 1000 * 1'000'000;
  ::timerfd_settime(descriptor_.number(), 0, &when, nullptr);
}

}  // namespace longshore
