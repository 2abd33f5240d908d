#include "unit/http/raw_client.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "core/assert.h"
#include "http/parse/characters.h"

namespace longshore {
namespace {

constexpr timeval longest{.tv_sec = 10, .tv_usec = 0};

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

RawResponse read_head(std::string_view text) {
  RawResponse response;
  const std::size_t first_end = text.find("\r\n");
  response.status = static_cast<int>(number(text.substr(9, 3), 10));
  text.remove_prefix(first_end + 2);
  while (!text.starts_with("\r\n")) {
    const std::size_t colon = text.find(": ");
    const std::size_t end = text.find("\r\n");
    std::string name(text.substr(0, colon));
    for (char& c : name) c = wire::to_lower(c);
    response.headers[name] = text.substr(colon + 2, end - colon - 2);
    text.remove_prefix(end + 2);
  }
  return response;
}

}  // namespace

std::string RawResponse::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

RawClient::RawClient(std::uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) close();
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      buffer_(std::move(other.buffer_)),
      context_(std::exchange(other.context_, nullptr)),
      tls_(std::exchange(other.tls_, nullptr)) {}

RawClient::~RawClient() {
  close();
  SSL_free(tls_);
  SSL_CTX_free(context_);
}

bool RawClient::start_tls() {
  context_ = SSL_CTX_new(TLS_client_method());
  tls_ = SSL_new(context_);
  SSL_set_fd(tls_, socket_);
  return SSL_connect(tls_) == 1;
}

std::string RawClient::certificate_serial() const {
  X509* certificate = SSL_get1_peer_certificate(tls_);
  BIGNUM* serial = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* text = BN_bn2hex(serial);
  const std::string result(text);
  OPENSSL_free(text);
  BN_free(serial);
  X509_free(certificate);
  return result;
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ != nullptr
                             ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawClient::end_sending() { ::shutdown(socket_, SHUT_WR); }

void RawClient::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void RawClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void RawClient::shrink_receive_buffer() {
  const int bytes = 4096;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

bool RawClient::fill() {
  char bytes[16 * 1024];
  const ssize_t count = tls_ != nullptr ? SSL_read(tls_, bytes, sizeof bytes)
                                        : ::recv(socket_, bytes, sizeof bytes, 0);
  // A timeout is not the end of the connection; do not confuse them.
  LONGSHORE_ASSERT(count >= 0 || tls_ != nullptr || errno != EAGAIN, "data arrived in time");
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string RawClient::take(std::size_t count) {
  std::string taken = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return taken;
}

std::string RawClient::receive_until(std::string_view end) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t found = buffer_.find(end, from);
    if (found != std::string::npos) return take(found + end.size());
    from = buffer_.size() - std::min(buffer_.size(), end.size());
    if (!fill()) return take(buffer_.size());
  }
}

std::string RawClient::receive_bytes(std::size_t count) {
  while (buffer_.size() < count && fill()) {
  }
  return take(count);
}

std::optional<RawResponse> RawClient::receive(bool to_head) {
  const std::string head = receive_until("\r\n\r\n");
  if (!head.ends_with("\r\n\r\n") || head.size() < 12) return {};
  RawResponse response = read_head(head);
  if (to_head || response.status < 200) return response;
  if (response.header("transfer-encoding") == "chunked") {
    read_chunks(response.body);
  } else if (response.headers.contains("content-length")) {
    response.body = receive_bytes(number(response.header("content-length"), 10));
  } else if (response.status != 204 && response.status != 304) {
    while (fill()) {
    }
    response.body = take(buffer_.size());
  }
  return response;
}

void RawClient::read_chunks(std::string& body) {
  for (;;) {
    const std::size_t size = number(receive_until("\r\n"), 16);
    body += receive_bytes(size);
    receive_until("\r\n");
    if (size == 0) return;
  }
}

bool RawClient::has_input() const {
  char byte = 0;
  return !buffer_.empty() || ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

bool RawClient::at_end() { return buffer_.empty() && !fill(); }

}  // namespace longshore
