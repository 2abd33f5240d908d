#include "bench/plain_service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace longshore::bench {
namespace {

constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";

// The bytes of the first request in `text`; 0 if it has not all come.
std::size_t whole_request(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  constexpr std::string_view name = "Content-Length: ";
  const std::size_t at = text.substr(0, head).find(name);
  std::size_t body = 0;
  if (at != std::string_view::npos) {
    body = std::strtoul(std::string(text.substr(at + name.size(), 20)).c_str(), nullptr, 10);
  }
  return text.size() < head + 4 + body ? 0 : head + 4 + body;
}

void serve(int connection) {
  std::string text;
  std::array<char, 16 * 1024> some;
  while (true) {
    const ssize_t got = ::recv(connection, some.data(), some.size(), 0);
    if (got <= 0) break;
    text.append(some.data(), static_cast<std::size_t>(got));
    while (const std::size_t request = whole_request(text)) {
      text.erase(0, request);
      if (::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
    }
  }
  ::close(connection);
}

}  // namespace

PlainService::PlainService() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<struct sockaddr*>(&address);
  if (::bind(socket_, any, size) != 0 || ::listen(socket_, 256) != 0) std::abort();
  ::getsockname(socket_, any, &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

PlainService::~PlainService() {
  ::shutdown(socket_, SHUT_RDWR);
  thread_.join();
  ::close(socket_);
}

void PlainService::accept_all() {
  while (true) {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    const int on = 1;
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    std::thread(serve, connection).detach();
  }
}

}  // namespace longshore::bench
