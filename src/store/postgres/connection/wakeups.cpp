#include "store/postgres/connection/wakeups.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace longshore::postgres {
namespace {

constexpr int probe_millis = 10'000;     // how long silence is believed
constexpr int reconnect_millis = 1'000;  // between two tries
constexpr int rest_millis = 2;           // between two hints to others, who share the processors
constexpr std::string_view probe = "?";

// Nobody waits until the disk has a hint. The setting ends with the statement, so that it cannot
// reach anything else through a pooler.
constexpr Sql notify = {"SELECT pg_notify($1, $2), set_config('synchronous_commit', 'off', true)"};

}  // namespace

PostgresWakeups::PostgresWakeups(const Target& target)
    : target_(target), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

PostgresWakeups::~PostgresWakeups() {
  stop();
  closing_ = true;
  ring();
  std::thread thread;
  {
    MutexLock lock(mutex_);
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
  ::close(bell_);
}

std::vector<std::string> PostgresWakeups::wait(Duration longest) {
  start();
  return here_.wait(longest);
}

void PostgresWakeups::stop() { here_.stop(); }

void PostgresWakeups::hint(std::set<std::string> queues) {
  if (queues.empty()) return;
  if (target_.listen) {
    start();
    bool is_first = false;
    {
      MutexLock lock(mutex_);
      is_first = news_.empty();
      news_.insert(queues.begin(), queues.end());
    }
    if (is_first) ring();
  }
  here_.hint(std::move(queues));
}

void PostgresWakeups::start() {
  if (!target_.listen) return;
  MutexLock lock(mutex_);
  if (!thread_.joinable() && !closing_) thread_ = std::thread([this] { run(); });
}

void PostgresWakeups::ring() {
  const std::uint64_t one = 1;
  // Full means that it rings already.
  [[maybe_unused]] const auto written = ::write(bell_, &one, sizeof one);
}

bool PostgresWakeups::wait_for(int socket, int millis) {
  pollfd wanted[] = {{.fd = bell_, .events = POLLIN, .revents = 0},
                     {.fd = socket, .events = POLLIN, .revents = 0}};
  const int ready = ::poll(wanted, socket < 0 ? 1 : 2, millis);
  if (ready > 0 && wanted[0].revents != 0) {
    std::uint64_t rung = 0;
    [[maybe_unused]] const auto drained = ::read(bell_, &rung, sizeof rung);
  }
  return ready != 0;
}

void PostgresWakeups::run() {
  while (!closing_) {
    auto connection = Connection::open(target_);
    if (connection) serve(**connection);
    hears_ = false;
    // News that nobody could be told is old by now; whoever missed it looks by itself.
    if (!closing_) wait_for(-1, reconnect_millis);
  }
}

void PostgresWakeups::serve(Connection& connection) {
  connection.run_script("LISTEN " + target_.schema);
  bool waits_for_itself = false;
  while (!closing_ && connection.alive() && !connection.trouble()) {
    PQconsumeInput(connection.handle());
    while (PGnotify* note = PQnotifies(connection.handle())) {
      if (probe == note->extra) {
        hears_ = true;
        waits_for_itself = false;
      } else {
        here_.hint(read_hints(note->extra));
      }
      PQfreemem(note);
    }
    const std::string news = take_news();
    if (!news.empty()) {
      if (!tell(connection, news)) return;
      ::poll(nullptr, 0, rest_millis);
      continue;  // what was heard while telling has been read, and rings no more
    }
    if (wait_for(PQsocket(connection.handle()), probe_millis)) continue;
    if (waits_for_itself) return;
    waits_for_itself = true;
    if (!tell(connection, std::string(probe))) return;
  }
}

bool PostgresWakeups::tell(Connection& connection, const std::string& text) {
  Parameters parameters;
  parameters.add(Type::text, target_.schema).add(Type::text, text);
  connection.ask(notify, std::move(parameters));
  return !connection.trouble();
}

std::string PostgresWakeups::take_news() {
  MutexLock lock(mutex_);
  return hints_text(std::exchange(news_, {}));
}

}  // namespace longshore::postgres
