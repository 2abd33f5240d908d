#include "worker/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "core/assert.h"
#include "worker/program/child.h"

namespace longshore {
namespace {

// A signal handler can only use globals.
std::atomic<int> event = -1;

void on_signal(int) {
  const int kept = errno;
  const std::uint64_t one = 1;
  // Cannot fail, and there is no way to report it.
  [[maybe_unused]] const ssize_t written = ::write(event.load(), &one, sizeof(one));
  errno = kept;
}

}  // namespace

struct EndSignals::Before {
  struct sigaction interrupt = {};
  struct sigaction terminate = {};
};

EndSignals::EndSignals() : before_(std::make_unique<Before>()) {
  const int made = ::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  LONGSHORE_ASSERT(made >= 0, "eventfd succeeds");
  const int none = -1;
  int expected = none;
  LONGSHORE_ASSERT(event.compare_exchange_strong(expected, made), "one at a time");
  struct sigaction ours = {};
  ours.sa_handler = on_signal;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(SIGINT, &ours, &before_->interrupt);
  ::sigaction(SIGTERM, &ours, &before_->terminate);
}

EndSignals::~EndSignals() {
  ::sigaction(SIGINT, &before_->interrupt, nullptr);
  ::sigaction(SIGTERM, &before_->terminate, nullptr);
  ::close(event.exchange(-1));
}

bool EndSignals::wait(const std::stop_token& stop) {
  const EventFile stopped;
  const std::stop_callback tell_stop(stop, [&stopped] { stopped.signal(); });
  std::array<struct pollfd, 2> watched = {
      {{event.load(), POLLIN, 0}, {stopped.number(), POLLIN, 0}}};
  while (::poll(watched.data(), watched.size(), -1) < 0) {
  }
  std::uint64_t count = 0;
  return watched[0].revents != 0 && ::read(event.load(), &count, sizeof(count)) > 0;
}

}  // namespace longshore
