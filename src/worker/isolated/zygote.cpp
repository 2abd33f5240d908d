#include "worker/isolated/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "longshore/isolate.h"
#include "worker/isolated/isolated_process.h"

namespace longshore {
namespace {

// What the zygote reports about a process: first its pid, then its end.
struct ProcessStatus {
  pid_t id = -1;
  bool ended = false;
  Child::End end;
};

constexpr std::size_t files_sent = 3;  // the process's socket, the status pipe, the stack file

// The worker's end of the socket to the zygote; set once by isolate().
std::atomic<int> zygote_socket = -1;
std::atomic<bool> too_late = false;

bool send_fork_request(int socket, const ProcessLimits& limits,
                       const std::array<int, files_sent>& files) {
  ProcessLimits copy = limits;
  struct iovec content = {&copy, sizeof(copy)};
  alignas(struct cmsghdr) std::array<char, CMSG_SPACE(sizeof(files))> control{};
  struct msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  struct cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(files));
  std::memcpy(CMSG_DATA(head), files.data(), sizeof(files));
  ssize_t sent = 0;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent > 0;
}

struct ForkRequest {
  ProcessLimits limits;
  std::array<int, files_sent> files{};
};

// Nothing once the worker is gone.
std::optional<ForkRequest> receive_fork_request(int socket) {
  ForkRequest request;
  struct iovec content = {&request.limits, sizeof(request.limits)};
  alignas(struct cmsghdr) std::array<char, CMSG_SPACE(sizeof(request.files))> control{};
  struct msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const struct cmsghdr* head = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head == nullptr || head->cmsg_len != CMSG_LEN(sizeof(request.files))) return std::nullopt;
  std::memcpy(request.files.data(), CMSG_DATA(head), sizeof(request.files));
  return request;
}

// ---- In the zygote ----------------------------------------------------------------------------

class Zygote {
 public:
  explicit Zygote(int socket) : socket_(socket) {}

  [[noreturn]] void run() {
    while (true) {
      std::vector<struct pollfd> watched = {{socket_, POLLIN, 0}};
      for (const ChildProcess& one : children_) {
        watched.push_back({one.ended ? -1 : one.process.number(), POLLIN, 0});
        watched.push_back({one.status.number(), 0, 0});  // POLLERR once the worker has closed it
      }
      if (::poll(watched.data(), watched.size(), -1) < 0) continue;
      for (std::size_t i = children_.size(); i-- > 0;) {
        if (watched[2 * i + 1].revents != 0) report_end(children_[i]);
        if (watched[2 * i + 2].revents != 0) kill_and_reap(i);
      }
      if (watched[0].revents != 0) handle_fork_request();
    }
  }

 private:
  struct ChildProcess {
    pid_t id = -1;
    Descriptor process;
    Descriptor status;
    bool ended = false;
  };

  void handle_fork_request() {
    const std::optional<ForkRequest> request = receive_fork_request(socket_);
    if (!request) end();
    ChildProcess one;
    Descriptor socket(request->files[0]);
    one.status = Descriptor(request->files[1]);
    Descriptor stack(request->files[2]);
    one.id = ::fork();
    if (one.id == 0) run_handler_process({socket.number(), stack.number(), request->limits});
    if (one.id < 0) return;
    ::setpgid(one.id, one.id);  // the child does the same: either may be first
    one.process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, one.id, 0)));
    send_status(one, {.id = one.id});
    children_.push_back(std::move(one));
  }

  static void send_status(const ChildProcess& one, const ProcessStatus& status) {
    [[maybe_unused]] const ssize_t sent = ::write(one.status.number(), &status, sizeof(status));
  }

  // Does not reap it: its pid stays reserved until the worker has read this.
  static void report_end(ChildProcess& one) {
    siginfo_t info = {};
    ::waitid(P_PID, static_cast<id_t>(one.id), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == 0) return;
    one.ended = true;
    send_status(one, {.id = one.id,
                      .ended = true,
                      .end = {.exited = info.si_code == CLD_EXITED, .value = info.si_status}});
  }

  void kill_and_reap(std::size_t which) {
    ::kill(-children_[which].id, SIGKILL);
    while (::waitpid(children_[which].id, nullptr, 0) < 0 && errno == EINTR) {
    }
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  [[noreturn]] void end() {
    while (!children_.empty()) kill_and_reap(children_.size() - 1);
    ::_exit(0);
  }

  const int socket_;
  std::vector<ChildProcess> children_;
};

[[noreturn]] void become_zygote(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "zygote");
  ::setpgid(0, 0);  // signals from the terminal are for the worker
  ::signal(SIGPIPE, SIG_IGN);
  Zygote(socket).run();
}

bool has_threads() {
  std::error_code fault;
  const std::filesystem::directory_iterator tasks("/proc/self/task", fault);
  return !fault && std::distance(begin(tasks), end(tasks)) > 1;
}

}  // namespace

void isolate(int, char**) {
  if (zygote_socket >= 0 || too_late) return;
  std::array<int, 2> ends{};
  too_late = has_threads() || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
  if (too_late) return;
  const pid_t id = ::fork();
  if (id == 0) {
    ::close(ends[0]);
    become_zygote(ends[1]);
  }
  ::close(ends[1]);
  if (id > 0) zygote_socket = ends[0];
}

std::optional<Error> zygote_fault() {
  if (zygote_socket >= 0) return std::nullopt;
  return Error{Errc::invalid, too_late
                                  ? "longshore::isolate() was called after a thread had started"
                                  : "isolated handlers require longshore::isolate(argc, argv) "
                                    "as the first statement of main"};
}

// ---- In the worker ----------------------------------------------------------------------------

Result<std::unique_ptr<HandlerProcess>> HandlerProcess::start(const ProcessLimits& limits) {
  if (auto fault = zygote_fault()) return Error{Errc::refused, fault->message};
  std::array<int, 2> sockets{};
  std::array<int, 2> status{};
  std::unique_ptr<HandlerProcess> started(new HandlerProcess);
  started->stack_ = Descriptor(::memfd_create("stack", MFD_CLOEXEC));
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return Error{Errc::unavailable, "cannot create a socket for the handler process"};
  }
  started->socket_ = Descriptor(sockets[0]);
  const Descriptor theirs(sockets[1]);
  if (::pipe2(status.data(), O_CLOEXEC) != 0) {
    return Error{Errc::unavailable, "cannot create a pipe for the handler process"};
  }
  started->status_pipe_ = Descriptor(status[0]);
  Descriptor zygotes(status[1]);
  ProcessStatus first;
  const bool sent = send_fork_request(
      zygote_socket, limits, {theirs.number(), zygotes.number(), started->stack_.number()});
  zygotes.close();
  if (!sent || ::read(status[0], &first, sizeof(first)) != sizeof(first)) {
    return Error{Errc::unavailable, "the zygote does not answer"};
  }
  started->id_ = first.id;
  return started;
}

HandlerProcess::~HandlerProcess() {
  if (id_ >= 0) kill();
}

bool HandlerProcess::is_alive() const {
  struct pollfd watched = {status_pipe_.number(), POLLIN, 0};
  return ::poll(&watched, 1, 0) == 0;
}

void HandlerProcess::kill() { ::kill(-id_, SIGKILL); }

std::optional<Child::End> HandlerProcess::wait_end() {
  ProcessStatus last;
  ssize_t got = 0;
  do got = ::read(status_pipe_.number(), &last, sizeof(last));
  while (got < 0 && errno == EINTR);
  if (got != sizeof(last)) return std::nullopt;
  return last.end;
}

std::string HandlerProcess::stack() const {
  std::string text(16 * 1024, '\0');
  const ssize_t got = ::pread(stack_.number(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace longshore
