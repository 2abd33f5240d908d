#include "worker/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>

#include "core/assert.h"
#include "core/mutex.h"

namespace longshore {
namespace {

Error failure(const std::string& what, int number) {
  return {Errc::invalid, what + ": " + std::strerror(number)};
}

Result<Descriptor> file_of(const std::string& text) {
  Descriptor file(::memfd_create("payload", MFD_CLOEXEC));
  if (!file.is_open()) return failure("cannot make room for the payload", errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file.number(), text.data() + done, text.size() - done);
    if (written < 0) return failure("cannot hand over the payload", errno);
    done += static_cast<std::size_t>(written);
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

struct Pipe {
  Descriptor ours;
  Descriptor theirs;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure("cannot make a pipe", errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// What the child needs to begin. It is made beforehand, since the child may not allocate: until it
// is somebody else it lives in our memory.
struct Launch {
  int input, output, errors;
  const char* folder;  // may be null
  const char* path;
  char* const* arguments;
  char* const* variables;
  const ProcessLimits* limits;
  pid_t parent;
  int report;  // where a Misfortune is written; closed by the exec
};

// Why a program did not start.
struct Misfortune {
  bool inside = false;  // it got as far as its folder
  int why = 0;          // as errno
};

void limit(__rlimit_resource_t resource, std::int64_t most, std::int64_t margin = 0) {
  if (most <= 0) return;
  struct rlimit now = {};
  ::getrlimit(resource, &now);
  struct rlimit wanted = {static_cast<rlim_t>(most), static_cast<rlim_t>(most + margin)};
  wanted.rlim_max = std::min(wanted.rlim_max, now.rlim_max);
  wanted.rlim_cur = std::min(wanted.rlim_cur, wanted.rlim_max);
  ::setrlimit(resource, &wanted);
}

[[noreturn]] void give_up(const Launch& launch, bool inside) {
  const Misfortune misfortune{inside, errno};
  [[maybe_unused]] const ssize_t told = ::write(launch.report, &misfortune, sizeof(misfortune));
  ::_exit(127);
}

[[noreturn]] void become(const Launch& launch) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.parent) ::_exit(127);
  ::setpgid(0, 0);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  ::dup2(launch.input, 0);
  ::dup2(launch.output, 1);
  ::dup2(launch.errors, 2);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (launch.folder != nullptr && ::chdir(launch.folder) != 0) give_up(launch, false);
  obey(*launch.limits);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(launch.path, launch.arguments, launch.variables);
  give_up(launch, true);
}

// A fork that copies nothing: with many slots and a large worker, what a fork costs is the copying.
pid_t fork_into(const Launch& launch) {
  const pid_t id = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (id == 0) become(launch);
  return id;
}

// Waits until the program has started, which ends the report, or has not.
std::optional<Misfortune> read_report(Pipe& report) {
  report.theirs.close();
  ::fcntl(report.ours.number(), F_SETFL, 0);
  Misfortune misfortune;
  ssize_t got = -1;
  do {
    got = ::read(report.ours.number(), &misfortune, sizeof(misfortune));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  return misfortune;
}

// Our own handlers must not run in a child that shares our memory.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

// Those that may be killed from outside: a group is taken off before its leader is reaped.
class Groups {
 public:
  void add(pid_t leader) {
    MutexLock lock(mutex_);
    leaders_.insert(leader);
  }
  void remove(pid_t leader) {
    MutexLock lock(mutex_);
    leaders_.erase(leader);
  }
  void kill_all() {
    MutexLock lock(mutex_);
    for (const pid_t leader : leaders_) ::kill(-leader, SIGKILL);
  }

 private:
  Mutex mutex_;
  std::set<pid_t> leaders_ LONGSHORE_GUARDED_BY(mutex_);
};

Groups& groups() {
  // Never destroyed: a handler that was abandoned may end after main.
  static Groups& all = *new Groups;
  return all;
}

}  // namespace

void kill_all_children() { groups().kill_all(); }

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
  LONGSHORE_ASSERT(descriptor_.is_open(), "the system gives an eventfd");
}

void EventFile::happen() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(descriptor_.number(), &one, sizeof(one));
}

TimerFile::TimerFile()
    : descriptor_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  LONGSHORE_ASSERT(descriptor_.is_open(), "the system gives a timer");
}

void TimerFile::set(Duration after) const {
  // A timer of zero would never ring.
  const std::int64_t millis = after.count() > 0 ? after.count() : 1;
  struct itimerspec when = {};
  when.it_value.tv_sec = millis / 1000;
  when.it_value.tv_nsec = millis % 1000 * 1'000'000;
  ::timerfd_settime(descriptor_.number(), 0, &when, nullptr);
}

void obey(const ProcessLimits& limits) {
  limit(RLIMIT_AS, limits.memory_bytes);
  // A second more for whoever wants to say something about SIGXCPU.
  limit(RLIMIT_CPU, limits.cpu_seconds, 1);
  limit(RLIMIT_NOFILE, limits.open_files);
  const struct rlimit no_dump = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_dump);
}

Result<Child> Child::start(const ChildStart& start) {
  Result<Descriptor> file = file_of(start.input);
  if (!file) return file.error();
  Result<Pipe> output = make_pipe();
  if (!output) return output.error();
  Result<Pipe> errors = make_pipe();
  if (!errors) return errors.error();
  Result<Pipe> report = make_pipe();
  if (!report) return report.error();
  std::array<char*, 2> arguments = {const_cast<char*>(start.path.c_str()), nullptr};
  std::vector<char*> variables;
  for (const std::string& variable : start.environment) {
    variables.push_back(const_cast<char*>(variable.c_str()));
  }
  variables.push_back(nullptr);
  const Launch launch{.input = file->number(),
                      .output = output->theirs.number(),
                      .errors = errors->theirs.number(),
                      .folder = start.folder.empty() ? nullptr : start.folder.c_str(),
                      .path = start.path.c_str(),
                      .arguments = arguments.data(),
                      .variables = variables.data(),
                      .limits = &start.limits,
                      .parent = ::getpid(),
                      .report = report->theirs.number()};
  Child child;
  {
    const NoSignals quiet;
    child.id_ = fork_into(launch);
  }
  if (child.id_ < 0) return failure("cannot start a process", errno);
  if (const auto misfortune = read_report(*report)) {
    ::waitpid(std::exchange(child.id_, -1), nullptr, 0);
    return failure(misfortune->inside ? "cannot run " + start.path : "cannot enter " + start.folder,
                   misfortune->why);
  }
  groups().add(child.id_);
  child.process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child.id_, 0)));
  if (!child.process_.is_open()) return failure("cannot watch " + start.path, errno);
  child.output = std::move(output->ours);
  child.errors = std::move(errors->ours);
  return child;
}

Child::Child(Child&& other) noexcept
    : output(std::move(other.output)),
      errors(std::move(other.errors)),
      id_(std::exchange(other.id_, -1)),
      process_(std::move(other.process_)) {}

Child::~Child() {
  if (id_ < 0) return;
  signal(SIGKILL);
  reap();
}

void Child::signal(int number) const { ::kill(-id_, number); }

Child::End Child::reap() {
  // Before the leader is reaped, so that its number cannot be somebody else's yet.
  signal(SIGKILL);
  groups().remove(id_);
  siginfo_t info = {};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  id_ = -1;
  return {.exited = info.si_code == CLD_EXITED, .value = info.si_status};
}

}  // namespace longshore
