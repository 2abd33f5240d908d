#include "store/redis/stream.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace longshore::redis {
namespace {

constexpr std::size_t buffer_size = 64 * 1024;

std::string words_of(int error) { return std::generic_category().message(error); }

struct FreeList {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeList>;

AddressList look_up(const Address& address, std::string& why) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const int fault = ::getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found);
  if (fault != 0) why = ::gai_strerror(fault);
  return AddressList(fault == 0 ? found : nullptr);
}

// 0 if the connection stands, otherwise the reason.
int finish_connecting(int socket, int millis) {
  pollfd wanted{.fd = socket, .events = POLLOUT, .revents = 0};
  const int ready = ::poll(&wanted, 1, millis);
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0) return errno;
  int fault = 0;
  socklen_t size = sizeof fault;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &fault, &size);
  return fault;
}

template <class Value>
void set(int socket, int level, int option, const Value& value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

// From here on a call waits, but never for longer than the timeout.
void make_patient(int socket, Duration timeout) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) & ~O_NONBLOCK);
  const timeval limit{.tv_sec = timeout.count() / 1000, .tv_usec = timeout.count() % 1000 * 1000};
  set(socket, SOL_SOCKET, SO_RCVTIMEO, limit);
  set(socket, SOL_SOCKET, SO_SNDTIMEO, limit);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 2);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// A connected socket, or -1 and why not.
int connect_to(const addrinfo& place, Duration timeout, std::string& why) {
  const int type = place.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
  const int socket = ::socket(place.ai_family, type, place.ai_protocol);
  if (socket < 0) {
    why = words_of(errno);
    return -1;
  }
  int fault = ::connect(socket, place.ai_addr, place.ai_addrlen) == 0 ? 0 : errno;
  if (fault == EINPROGRESS) fault = finish_connecting(socket, static_cast<int>(timeout.count()));
  if (fault == 0) {
    make_patient(socket, timeout);
    return socket;
  }
  why = words_of(fault);
  ::close(socket);
  return -1;
}

}  // namespace

Result<std::unique_ptr<Stream>> Stream::open(const Address& address, Duration timeout,
                                             const TlsContext* tls) {
  std::string why = "no such host";
  int socket = -1;
  const AddressList places = look_up(address, why);
  for (const addrinfo* place = places.get(); place != nullptr && socket < 0;
       place = place->ai_next) {
    socket = connect_to(*place, timeout, why);
  }
  if (socket < 0) {
    return Error{.code = Errc::unavailable,
                 .message = to_text(address) + " cannot be reached: " + why};
  }
  std::unique_ptr<Stream> stream(new Stream(socket));
  if (tls == nullptr) return stream;
  const auto greeted = stream->greet(*tls, address.host);
  if (greeted) return stream;
  return Error{.code = greeted.error().code,
               .message = to_text(address) + ": " + greeted.error().message};
}

Stream::~Stream() { ::close(socket_); }

Result<Nothing> Stream::greet(const TlsContext& context, const std::string& host) {
  tls_ = std::make_unique<TlsSession>(context, host);
  while (true) {
    const bool good = tls_->greet();
    // Also the alert that says why we hang up.
    const bool sent = send_raw(tls_->take_outgoing());
    if (!good) return Error{.code = Errc::refused, .message = "TLS: " + tls_->why()};
    if (!sent) return Error{.code = Errc::unavailable, .message = "TLS: " + why_};
    if (tls_->greeted()) return Nothing{};
    const auto bytes = receive_raw();
    if (!bytes) return Error{.code = Errc::unavailable, .message = "TLS: " + why_};
    tls_->feed(*bytes);
  }
}

bool Stream::lose(std::string why) {
  why_ = std::move(why);
  return false;
}

bool Stream::send_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      const bool late = errno == EAGAIN || errno == EWOULDBLOCK;
      return lose(late ? "it takes no more bytes" : words_of(errno));
    }
  }
  return true;
}

std::optional<std::string_view> Stream::receive_raw() {
  buffer_.resize(buffer_size);
  while (true) {
    const ssize_t count = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (count > 0) return std::string_view(buffer_).substr(0, static_cast<std::size_t>(count));
    if (count < 0 && errno == EINTR) continue;
    const bool late = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    lose(count == 0 ? "it hung up" : late ? "no answer in time" : words_of(errno));
    return std::nullopt;
  }
}

bool Stream::send(std::string_view bytes) {
  if (!tls_) return send_raw(bytes);
  if (!tls_->encrypt(bytes)) return lose("TLS: " + tls_->why());
  return send_raw(tls_->take_outgoing());
}

bool Stream::receive(std::string& bytes) {
  const auto raw = receive_raw();
  if (!raw) return false;
  if (!tls_) {
    bytes += *raw;
    return true;
  }
  if (!tls_->decrypt(*raw, bytes)) return lose("TLS: " + tls_->why());
  return send_raw(tls_->take_outgoing());
}

bool Stream::quiet() const {
  pollfd asked{.fd = socket_, .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, 0) == 0;
}

bool Stream::wait_readable(int bell, int millis) const {
  pollfd asked[] = {{.fd = socket_, .events = POLLIN, .revents = 0},
                    {.fd = bell, .events = POLLIN, .revents = 0}};
  return ::poll(asked, 2, millis) > 0 && asked[0].revents != 0;
}

}  // namespace longshore::redis
