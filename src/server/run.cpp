#include "server/run.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "core/assert.h"
#include "server/server.h"
#include "server/unused_memory.h"
#include "worker/program/child.h"

namespace longshore {
namespace {

constexpr Duration patience = Duration::seconds(8);
constexpr int look_at_store_every = 200;  // milliseconds

// Receives signals from a descriptor. Blocks them in all threads started later.
class Signals {
 public:
  Signals() {
    ::sigemptyset(&caught_);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&caught_, number);
    ::pthread_sigmask(SIG_BLOCK, &caught_, nullptr);
    file_ = Descriptor(::signalfd(-1, &caught_, SFD_CLOEXEC | SFD_NONBLOCK));
    LONGSHORE_ASSERT(file_.is_open(), "signalfd was created");
  }
  ~Signals() { ::pthread_sigmask(SIG_UNBLOCK, &caught_, nullptr); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // The next signal, or 0 at the timeout.
  int wait(int millis) {
    struct pollfd watched = {file_.number(), POLLIN, 0};
    if (::poll(&watched, 1, millis) <= 0) return 0;
    struct signalfd_siginfo info = {};
    if (::read(file_.number(), &info, sizeof(info)) != sizeof(info)) return 0;
    return static_cast<int>(info.ssi_signo);
  }

 private:
  sigset_t caught_;
  Descriptor file_;
};

}  // namespace

Result<Nothing> run_server(const Settings& settings, Log& log) {
  auto signals = std::make_unique<Signals>();
  Result<std::unique_ptr<Server>> server = Server::start(settings, log);
  if (!server) return server.error();
  UnusedMemory unused;
  while (true) {
    const int signal = signals->wait(look_at_store_every);
    unused.give_back();
    (*server)->watch();
    if (const auto broken = (*server)->broken()) {
      // Acknowledged commits are safe and no more can be acknowledged, so stop at once.
      log.error("store failed", {{"error", broken->message}});
      ::_exit(70);
    }
    if (signal == SIGHUP) (*server)->reload();
    if (signal == SIGTERM || signal == SIGINT) break;
  }
  log.info("stopping");
  signals.reset();  // a second signal ends the process
  (*server)->stop(patience);
  log.info("stopped");
  return Nothing();
}

}  // namespace longshore
