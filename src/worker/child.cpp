#include "worker/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "core/assert.h"

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

// How the child begins: three files, no others, its own group, no signal blocked or ignored.
class Beginning {
 public:
  Beginning(int input, int output, int errors) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Beginning() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  int spawn(pid_t& id, const std::string& path, const std::vector<std::string>& environment) {
    std::array<char*, 2> arguments = {const_cast<char*>(path.c_str()), nullptr};
    std::vector<char*> variables;
    for (const std::string& variable : environment) {
      variables.push_back(const_cast<char*>(variable.c_str()));
    }
    variables.push_back(nullptr);
    return ::posix_spawn(&id, path.c_str(), &actions_, &attributes_, arguments.data(),
                         variables.data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

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

Result<Child> Child::start(const std::string& path, const std::string& input,
                           const std::vector<std::string>& environment) {
  Result<Descriptor> file = file_of(input);
  if (!file) return file.error();
  Result<Pipe> output = make_pipe();
  if (!output) return output.error();
  Result<Pipe> errors = make_pipe();
  if (!errors) return errors.error();
  Child child;
  Beginning beginning(file->number(), output->theirs.number(), errors->theirs.number());
  const int fault = beginning.spawn(child.id_, path, environment);
  if (fault != 0) {
    child.id_ = -1;
    return failure("cannot run " + path, fault);
  }
  child.process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child.id_, 0)));
  if (!child.process_.is_open()) return failure("cannot watch " + path, errno);
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
  siginfo_t info = {};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  id_ = -1;
  return {.exited = info.si_code == CLD_EXITED, .value = info.si_status};
}

}  // namespace longshore
