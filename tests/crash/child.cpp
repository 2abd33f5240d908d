#include "crash/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "checker/history_writer.h"
#include "core/time/clock.h"
#include "crash/library_load.h"
#include "store/sqlite/store.h"

namespace longshore::crash {
namespace {

constexpr Duration longest_start = Duration::seconds(30);

// Each line is written before the call that it announces: the kernel keeps it even if the process
// is killed.
checker::HistoryWriter::Line appender(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return [file](std::string_view line) {
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      std::_Exit(2);
    }
  };
}

void write_all(int to, std::string_view output) {
  if (::write(to, output.data(), output.size()) != static_cast<ssize_t>(output.size()))
    std::_Exit(4);
}

[[noreturn]] void call_store(const std::string& directory, const Load& load, int parent) {
  SystemClock clock;
  auto opened = open_sqlite({.path = store_in(directory)}, clock, Rules{});
  if (!opened.ok()) {
    fmt::print(stderr, "cannot open again: {}\n", opened.error().message);
    std::_Exit(3);
  }
  checker::HistoryWriter history(appender(history_in(directory, load.life)));
  write_all(parent, "r");
  run_forever((*opened)->store(), clock, history, load);
}

[[noreturn]] void call_library(const std::string& directory, const LibraryLoad& load, int parent) {
  checker::HistoryWriter history(appender(history_in(directory, load.load.life)));
  const StopReport report =
      use_library(store_in(directory), history, load, [&] { write_all(parent, "r"); });
  write_all(parent, fmt::format("released {} abandoned {}", report.released, report.abandoned));
  // The thread of a handler that never returned still runs.
  std::_Exit(0);
}

[[noreturn]] void run_child(Program program, const std::string& directory, const Load& load,
                            int parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (program == Program::store) call_store(directory, load, parent);
  call_library(directory, {.load = load, .stubborn = program == Program::stubborn_library}, parent);
}

// Whether the child wrote something, or died, within the time.
bool wait_for_output(int from, Duration within) {
  pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, static_cast<int>(within.count())) > 0;
}

}  // namespace

std::string store_in(const std::string& directory) { return directory + "/longshore.db"; }

std::string history_in(const std::string& directory, int life) {
  return fmt::format("{}/history-{}.jsonl", directory, life);
}

Child::Child(Program program, const std::string& directory, const Load& load) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) run_child(program, directory, load, ends[1]);
  ::close(ends[1]);
  pipe_ = ends[0];
}

Child::~Child() {
  if (pid_ > 0) kill();
  ::close(pipe_);
}

bool Child::ready() const {
  char byte = 0;
  return wait_for_output(pipe_, longest_start) && ::read(pipe_, &byte, 1) == 1;
}

bool Child::works_for(Duration duration) const { return !wait_for_output(pipe_, duration); }

bool Child::kill() {
  int status = 0;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::optional<int> Child::terminate(Duration longest, std::string& output) {
  ::kill(pid_, SIGTERM);
  if (!wait_for_output(pipe_, longest)) {
    kill();
    return std::nullopt;
  }
  std::array<char, 256> output_bytes{};
  const ssize_t size = ::read(pipe_, output_bytes.data(), output_bytes.size());
  if (size > 0) output.assign(output_bytes.data(), static_cast<std::size_t>(size));
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace longshore::crash
