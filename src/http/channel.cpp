#include "http/channel.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace longshore::wire {
namespace {

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Io Channel::explain(int result) {
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Io::wait_read;
    case SSL_ERROR_WANT_WRITE:
      return Io::wait_write;
    case SSL_ERROR_ZERO_RETURN:
      return Io::ended;
    default:
      return Io::broken;
  }
}

Io Channel::handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(session_.get());
  return result == 1 ? Io::done : explain(result);
}

Io Channel::read(std::span<char> into, std::size_t& count) {
  count = 0;
  if (secure() && !finished_) {
    ERR_clear_error();
    const int result = SSL_read_ex(session_.get(), into.data(), into.size(), &count);
    return result == 1 ? Io::done : explain(result);
  }
  for (;;) {
    const ssize_t result = ::recv(socket_, into.data(), into.size(), 0);
    if (result > 0) {
      count = static_cast<std::size_t>(result);
      return Io::done;
    }
    if (result == 0) return Io::ended;
    if (errno != EINTR) return would_block() ? Io::wait_read : Io::broken;
  }
}

bool Channel::has_pending() const {
  return secure() && !finished_ && SSL_pending(session_.get()) > 0;
}

bool Channel::has_peer_left() const {
  pollfd peer{.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&peer, 1, 0) > 0;
}

Io Channel::write(Outbox& outbox) { return secure() ? write_secure(outbox) : write_plain(outbox); }

Io Channel::write_plain(Outbox& outbox) {
  iovec parts[16];
  while (!outbox.empty()) {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = static_cast<std::size_t>(outbox.gather(parts, std::size(parts)));
    const ssize_t result = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (result >= 0) {
      outbox.sent(static_cast<std::size_t>(result));
    } else if (errno != EINTR) {
      return would_block() ? Io::wait_write : Io::broken;
    }
  }
  return Io::done;
}

Io Channel::write_secure(Outbox& outbox) {
  iovec part;
  while (outbox.gather(&part, 1) == 1) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_write_ex(session_.get(), part.iov_base, part.iov_len, &count);
    if (result != 1) return explain(result);
    outbox.sent(count);
  }
  return Io::done;
}

void Channel::finish() {
  finished_ = true;
  if (secure()) {
    ERR_clear_error();
    SSL_shutdown(session_.get());
  }
  ::shutdown(socket_, SHUT_WR);
}

}  // namespace longshore::wire
