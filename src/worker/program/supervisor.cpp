#include "worker/program/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "worker/program/program_cgroup.h"
#include "worker/program/program_user.h"

namespace longshore {
namespace {

constexpr std::int64_t tell_after =
    2000;  // milliseconds; an unkillable process must not delay the outcome
constexpr std::int64_t for_ever = -1;
constexpr long look_every = 20'000'000;  // nanoseconds; the end of a child is seen at once

// ---- The program, before exec ------------------------------------------------------------------

[[noreturn]] void exit_with_failure(const Launch& launch, StartFailure::At at) {
  const StartFailure failed{at, errno};
  [[maybe_unused]] const ssize_t told = ::write(launch.report, &failed, sizeof(failed));
  ::_exit(127);
}

void take_standard_files(const Launch& launch) {
  ::dup2(launch.input, 0);
  ::dup2(launch.output, 1);
  ::dup2(launch.errors, 2);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
}

[[noreturn]] void become_program(const Launch& launch, pid_t supervisor) {
  ::setpgid(0, 0);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  take_standard_files(launch);
  if (launch.cgroup != nullptr) write_cgroup(launch.cgroup_procs, "0");
  if (launch.folder != nullptr && ::chdir(launch.folder) != 0) {
    exit_with_failure(launch, StartFailure::At::folder);
  }
  apply_limits(*launch.limits);
  if (launch.changes_user &&
      !become_user(launch.user, launch.group, launch.groups, launch.group_count)) {
    exit_with_failure(launch, StartFailure::At::user);
  }
  // After the change of user, which would reset it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(127);
  if (!launch.may_gain_rights) ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(launch.path, launch.arguments, launch.variables);
  exit_with_failure(launch, StartFailure::At::program);
}

// ---- The supervisor ----------------------------------------------------------------------------

std::int64_t now_millis() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Close everything that is not needed: a listening socket would outlive the worker.
void close_others(const Launch& launch) {
  std::array<int, 5> kept = {launch.input, launch.output, launch.errors, launch.control,
                             launch.report};
  std::ranges::sort(kept);
  unsigned next = 0;
  for (const int file : kept) {
    const auto number = static_cast<unsigned>(file);
    if (number > next) ::close_range(next, number - 1, 0);
    next = number + 1;
  }
  ::close_range(next, ~0U, 0);
}

// Kills direct children only: their pids cannot be reused before they are reaped here. Children of
// one that ends are reparented to this process.
void kill_children() {
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 4096> some;
  pid_t child = 0;
  for (ssize_t got = 0; (got = ::read(file, some.data(), some.size())) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      const char c = some[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9') {
        child = child * 10 + (c - '0');
      } else if (child > 0) {
        ::kill(child, SIGKILL);
        child = 0;
      }
    }
  }
  ::close(file);
}

// True if no child is left, dead or alive.
bool reap_children() {
  while (true) {
    siginfo_t info = {};
    const int result = ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL);
    if (result != 0 && errno == ECHILD) return true;
    if (result != 0 || info.si_pid == 0) return false;
  }
}

void wait_for_a_child() {
  sigset_t ended;
  ::sigemptyset(&ended);
  ::sigaddset(&ended, SIGCHLD);
  const struct timespec longest = {0, look_every};
  ::sigtimedwait(&ended, nullptr, &longest);
}

// Kills the program's remaining descendants, for at most `longest` milliseconds.
bool end_descendants(const Launch& launch, std::int64_t longest) {
  const std::int64_t begun = now_millis();
  while (!reap_children()) {
    if (longest != for_ever && now_millis() - begun > longest) return false;
    if (launch.cgroup != nullptr) write_cgroup(launch.cgroup_kill, "1");
    kill_children();
    wait_for_a_child();
  }
  return true;
}

[[noreturn]] void leave(const Launch& launch) {
  end_descendants(launch, for_ever);
  if (launch.cgroup != nullptr) ::rmdir(launch.cgroup);
  ::_exit(0);
}

// Forwards the worker's signals. False once the worker is gone.
bool forward_signals(const Launch& launch, pid_t program) {
  unsigned char signal = 0;
  const ssize_t got = ::recv(launch.control, &signal, sizeof(signal), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  ::kill(-program, signal);
  return true;
}

// Waits until the program has ended, without reaping it: its pid and process group stay reserved.
// False if the worker is gone first.
bool watch(const Launch& launch, pid_t program) {
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  std::array<struct pollfd, 2> watched = {{{ended, POLLIN, 0}, {launch.control, POLLIN, 0}}};
  while (true) {
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[1].revents != 0 && !forward_signals(launch, program)) return false;
    if (watched[0].revents != 0) return true;
  }
}

SupervisedEnd end_of(pid_t program) {
  siginfo_t info = {};
  ::waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOWAIT);
  return {.exited = info.si_code == CLD_EXITED, .value = info.si_status, .all_gone = false};
}

pid_t start_program(const Launch& launch) {
  const pid_t self = ::getpid();
  const pid_t program = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (program == 0) become_program(launch, self);
  if (program < 0) exit_with_failure(launch, StartFailure::At::program);
  for (const int file : {launch.input, launch.output, launch.errors, launch.report}) ::close(file);
  return program;
}

}  // namespace

void supervise(Launch launch) {
  ::signal(SIGCHLD, SIG_DFL);
  ::setpgid(0, 0);  // signals to the worker's group must not reach it
  ::prctl(PR_SET_NAME, "supervisor");
  ::prctl(PR_SET_DUMPABLE, 0);  // it has a copy of the worker's memory
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  close_others(launch);
  if (launch.cgroup != nullptr && ::mkdir(launch.cgroup, 0700) != 0) launch.cgroup = nullptr;
  const pid_t program = start_program(launch);
  const bool worker_lives = watch(launch, program);
  ::kill(-program, SIGKILL);
  if (!worker_lives) leave(launch);
  SupervisedEnd end = end_of(program);
  end.all_gone = end_descendants(launch, tell_after);
  ::send(launch.control, &end, sizeof(end), MSG_NOSIGNAL);
  leave(launch);
}

}  // namespace longshore
