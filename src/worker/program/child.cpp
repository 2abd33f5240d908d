#include "worker/program/child.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>

#include "core/sync/mutex.h"
#include "worker/program/supervisor.h"

namespace longshore {
namespace {

Error failure(const std::string& what, int number) {
  return {Errc::invalid, what + ": " + std::strerror(number)};
}

Result<Descriptor> file_of(const std::string& text) {
  Descriptor file(::memfd_create("payload", MFD_CLOEXEC));
  if (!file.is_open()) return failure("cannot create a file for the payload", errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file.number(), text.data() + done, text.size() - done);
    if (written < 0) return failure("cannot write the payload", errno);
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
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure("cannot create a pipe", errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Waits until the program has started, which closes the pipe, or has failed to.
std::optional<StartFailure> read_report(Pipe& report) {
  ::fcntl(report.ours.number(), F_SETFL, 0);
  StartFailure failed;
  ssize_t got = -1;
  do {
    got = ::read(report.ours.number(), &failed, sizeof(failed));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  return failed;
}

// Blocks signals: our signal handlers must not run in a child that shares our memory.
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

// The program's standard files and the supervisor's socket: both ends of each.
struct Connections {
  Descriptor input;
  Pipe output, errors, report, control;
};

Result<Pipe> make_control() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return failure("cannot create a socket", errno);
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<Connections> connect_child(const std::string& input) {
  Connections made;
  Result<Descriptor> file = file_of(input);
  if (!file) return file.error();
  made.input = std::move(*file);
  for (Pipe* pipe : {&made.output, &made.errors, &made.report}) {
    Result<Pipe> one = make_pipe();
    if (!one) return one.error();
    *pipe = std::move(*one);
  }
  Result<Pipe> control = make_control();
  if (!control) return control.error();
  made.control = std::move(*control);
  return made;
}

Launch launch_of(const ChildStart& start, const Connections& connections,
                 const ProgramCgroup& cgroup, char* const* arguments, char* const* variables) {
  const ProgramUser* const user = start.user;
  const bool grouped = !cgroup.folder.empty();
  return {.input = connections.input.number(),
          .output = connections.output.theirs.number(),
          .errors = connections.errors.theirs.number(),
          .control = connections.control.theirs.number(),
          .report = connections.report.theirs.number(),
          .folder = start.folder.empty() ? nullptr : start.folder.c_str(),
          .path = start.path.c_str(),
          .arguments = arguments,
          .variables = variables,
          .limits = &start.limits,
          .changes_user = user != nullptr,
          .user = user == nullptr ? 0 : user->id,
          .group = user == nullptr ? 0 : user->group,
          .groups = user == nullptr ? nullptr : user->groups.data(),
          .group_count = user == nullptr ? 0 : user->groups.size(),
          .may_gain_rights = start.may_gain_rights,
          .cgroup = grouped ? cgroup.folder.c_str() : nullptr,
          .cgroup_procs = cgroup.procs.c_str(),
          .cgroup_kill = cgroup.kill.c_str()};
}

Error start_failure(const ChildStart& start, const StartFailure& failed) {
  switch (failed.at) {
    case StartFailure::At::folder:
      return failure("cannot enter " + start.folder, failed.why);
    case StartFailure::At::user:
      return failure("cannot switch to the user " + start.user->name, failed.why);
    case StartFailure::At::program:
      break;
  }
  return failure("cannot run " + start.path, failed.why);
}

// All running supervisors and their sockets.
class Supervisors {
 public:
  void add(int control) {
    MutexLock lock(mutex_);
    controls_.insert(control);
  }
  void remove(int control) {
    MutexLock lock(mutex_);
    controls_.erase(control);
  }
  void kill_all() {
    MutexLock lock(mutex_);
    for (const int control : controls_) tell(control, SIGKILL);
  }
  // A supervisor that is still killing descendants is reaped later, by the next caller.
  void leave(pid_t supervisor) {
    MutexLock lock(mutex_);
    lingering_.insert(supervisor);
  }
  void reap_lingering() {
    MutexLock lock(mutex_);
    std::erase_if(lingering_, [](pid_t id) { return ::waitpid(id, nullptr, WNOHANG) != 0; });
  }
  static void tell(int control, int signal) {
    const auto word = static_cast<unsigned char>(signal);
    ::send(control, &word, sizeof(word), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

 private:
  Mutex mutex_;
  std::set<int> controls_ LONGSHORE_GUARDED_BY(mutex_);
  std::set<pid_t> lingering_ LONGSHORE_GUARDED_BY(mutex_);
};

Supervisors& supervisors() {
  // Never destroyed: an abandoned handler may end after main.
  static Supervisors& all = *new Supervisors;
  return all;
}

}  // namespace

void kill_all_children() { supervisors().kill_all(); }

Result<Child> Child::start(const ChildStart& start) {
  supervisors().reap_lingering();
  Result<Connections> made = connect_child(start.input);
  if (!made) return made.error();
  std::array<char*, 2> arguments = {const_cast<char*>(start.path.c_str()), nullptr};
  std::vector<char*> variables;
  for (const std::string& variable : start.environment) {
    variables.push_back(const_cast<char*>(variable.c_str()));
  }
  variables.push_back(nullptr);
  Child child;
  if (start.in_cgroup) child.cgroup_ = next_program_cgroup();
  const Launch launch = launch_of(start, *made, child.cgroup_, arguments.data(), variables.data());
  {
    const NoSignals quiet;
    child.supervisor_ = ::fork();
    if (child.supervisor_ == 0) supervise(launch);
  }
  if (child.supervisor_ < 0) return failure("cannot start a process", errno);
  made->control.theirs.close();
  made->report.theirs.close();
  child.control_ = std::move(made->control.ours);
  supervisors().add(child.control_.number());
  if (const auto failed = read_report(made->report)) {
    child.reap();
    return start_failure(start, *failed);
  }
  child.output = std::move(made->output.ours);
  child.errors = std::move(made->errors.ours);
  return child;
}

Child::Child(Child&& other) noexcept
    : output(std::move(other.output)),
      errors(std::move(other.errors)),
      supervisor_(std::exchange(other.supervisor_, -1)),
      control_(std::move(other.control_)),
      cgroup_(std::move(other.cgroup_)) {}

Child::~Child() {
  if (supervisor_ < 0) return;
  signal(SIGKILL);
  reap();
}

void Child::signal(int number) const { Supervisors::tell(control_.number(), number); }

Child::End Child::reap() {
  SupervisedEnd end;
  ssize_t got = -1;
  do {
    got = ::recv(control_.number(), &end, sizeof(end), 0);
  } while (got < 0 && errno == EINTR);
  supervisors().remove(control_.number());
  control_.close();
  const pid_t supervisor = std::exchange(supervisor_, -1);
  if (got == sizeof(end) && !end.all_gone) {
    supervisors().leave(supervisor);
  } else {
    while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (got == sizeof(end)) return {.exited = end.exited, .value = end.value};
  // The supervisor was killed, and the program with it.
  if (!cgroup_.folder.empty()) {
    write_cgroup(cgroup_.kill.c_str(), "1");
    ::rmdir(cgroup_.folder.c_str());
  }
  return {.exited = false, .value = SIGKILL};
}

}  // namespace longshore
