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

// What the zygote tells of a process: first its number, then its end.
struct News {
  pid_t id = -1;
  bool ended = false;
  Child::End end;
};

constexpr std::size_t files_sent = 3;  // the process's socket, the zygote's news, the stack

// The worker's end of the zygote's socket; set once, by isolate().
std::atomic<int> nest = -1;
std::atomic<bool> too_late = false;

bool send_wish(int socket, const ProcessLimits& limits, const std::array<int, files_sent>& files) {
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

struct Wish {
  ProcessLimits limits;
  std::array<int, files_sent> files{};
};

// Nothing once the worker is gone.
std::optional<Wish> receive_wish(int socket) {
  Wish wish;
  struct iovec content = {&wish.limits, sizeof(wish.limits)};
  alignas(struct cmsghdr) std::array<char, CMSG_SPACE(sizeof(wish.files))> control{};
  struct msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const struct cmsghdr* head = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head == nullptr || head->cmsg_len != CMSG_LEN(sizeof(wish.files))) return std::nullopt;
  std::memcpy(wish.files.data(), CMSG_DATA(head), sizeof(wish.files));
  return wish;
}

// ---- In the zygote ----------------------------------------------------------------------------

class Zygote {
 public:
  explicit Zygote(int socket) : socket_(socket) {}

  [[noreturn]] void run() {
    while (true) {
      std::vector<struct pollfd> watched = {{socket_, POLLIN, 0}};
      for (const Brood& one : brood_) {
        watched.push_back({one.ended ? -1 : one.process.number(), POLLIN, 0});
        watched.push_back({one.news.number(), 0, 0});  // an error once nobody reads it
      }
      if (::poll(watched.data(), watched.size(), -1) < 0) continue;
      for (std::size_t i = brood_.size(); i-- > 0;) {
        if (watched[2 * i + 1].revents != 0) tell_end(brood_[i]);
        if (watched[2 * i + 2].revents != 0) bury(i);
      }
      if (watched[0].revents != 0) obey_wish();
    }
  }

 private:
  struct Brood {
    pid_t id = -1;
    Descriptor process;
    Descriptor news;
    bool ended = false;
  };

  void obey_wish() {
    const std::optional<Wish> wish = receive_wish(socket_);
    if (!wish) end();
    Brood one;
    Descriptor socket(wish->files[0]);
    one.news = Descriptor(wish->files[1]);
    Descriptor stack(wish->files[2]);
    one.id = ::fork();
    if (one.id == 0) become_handlers_process({socket.number(), stack.number(), wish->limits});
    if (one.id < 0) return;
    ::setpgid(one.id, one.id);  // as the child does: whoever comes first
    one.process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, one.id, 0)));
    tell(one, {.id = one.id});
    brood_.push_back(std::move(one));
  }

  static void tell(const Brood& one, const News& news) {
    [[maybe_unused]] const ssize_t sent = ::write(one.news.number(), &news, sizeof(news));
  }

  // Without reaping it: until the worker has read this, the number stays taken.
  static void tell_end(Brood& one) {
    siginfo_t info = {};
    ::waitid(P_PID, static_cast<id_t>(one.id), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == 0) return;
    one.ended = true;
    tell(one, {.id = one.id,
               .ended = true,
               .end = {.exited = info.si_code == CLD_EXITED, .value = info.si_status}});
  }

  void bury(std::size_t which) {
    ::kill(-brood_[which].id, SIGKILL);
    while (::waitpid(brood_[which].id, nullptr, 0) < 0 && errno == EINTR) {
    }
    brood_.erase(brood_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  [[noreturn]] void end() {
    while (!brood_.empty()) bury(brood_.size() - 1);
    ::_exit(0);
  }

  const int socket_;
  std::vector<Brood> brood_;
};

[[noreturn]] void become_zygote(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "zygote");
  ::setpgid(0, 0);  // what is typed at the terminal is for the worker
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
  if (nest >= 0 || too_late) return;
  std::array<int, 2> ends{};
  too_late = has_threads() || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
  if (too_late) return;
  const pid_t id = ::fork();
  if (id == 0) {
    ::close(ends[0]);
    become_zygote(ends[1]);
  }
  ::close(ends[1]);
  if (id > 0) nest = ends[0];
}

std::optional<Error> zygote_fault() {
  if (nest >= 0) return std::nullopt;
  return Error{Errc::invalid, too_late ? "longshore::isolate() came after the first thread"
                                       : "isolated handlers need longshore::isolate(argc, argv) "
                                         "in the first line of main"};
}

// ---- In the worker ----------------------------------------------------------------------------

Result<std::unique_ptr<Hatchling>> Hatchling::hatch(const ProcessLimits& limits) {
  if (auto fault = zygote_fault()) return Error{Errc::refused, fault->message};
  std::array<int, 2> sockets{};
  std::array<int, 2> news{};
  std::unique_ptr<Hatchling> hatched(new Hatchling);
  hatched->stack_ = Descriptor(::memfd_create("stack", MFD_CLOEXEC));
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return Error{Errc::unavailable, "cannot make a socket for a process"};
  }
  hatched->socket_ = Descriptor(sockets[0]);
  const Descriptor theirs(sockets[1]);
  if (::pipe2(news.data(), O_CLOEXEC) != 0) {
    return Error{Errc::unavailable, "cannot make a pipe for a process"};
  }
  hatched->news_ = Descriptor(news[0]);
  Descriptor zygotes(news[1]);
  News first;
  const bool sent =
      send_wish(nest, limits, {theirs.number(), zygotes.number(), hatched->stack_.number()});
  zygotes.close();
  if (!sent || ::read(news[0], &first, sizeof(first)) != sizeof(first)) {
    return Error{Errc::unavailable, "the zygote does not answer"};
  }
  hatched->id_ = first.id;
  return hatched;
}

Hatchling::~Hatchling() {
  if (id_ >= 0) kill();
}

bool Hatchling::is_alive() const {
  struct pollfd watched = {news_.number(), POLLIN, 0};
  return ::poll(&watched, 1, 0) == 0;
}

void Hatchling::kill() { ::kill(-id_, SIGKILL); }

std::optional<Child::End> Hatchling::wait_end() {
  News last;
  ssize_t got = 0;
  do got = ::read(news_.number(), &last, sizeof(last));
  while (got < 0 && errno == EINTR);
  if (got != sizeof(last)) return std::nullopt;
  return last.end;
}

std::string Hatchling::stack() const {
  std::string text(16 * 1024, '\0');
  const ssize_t got = ::pread(stack_.number(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace longshore
