#include "server/settings/listen_address.h"

#include <arpa/inet.h>

#include <charconv>

namespace longshore {
namespace {

Error invalid(std::string_view text) {
  return {Errc::invalid,
          "listen must be ADDRESS:PORT, such as 127.0.0.1:7788 or [::1]:7788, got \"" +
              std::string(text) + "\""};
}

}  // namespace

bool ListenAddress::is_loopback() const {
  if (host == "localhost") return true;
  struct in_addr four = {};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  struct in6_addr six = {};
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::string ListenAddress::text() const {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return invalid(text);
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return invalid(text);
  }
  ListenAddress address;
  address.host = host.empty() ? "0.0.0.0" : std::string(host);
  const char* const end = port.data() + port.size();
  const auto [rest, fault] = std::from_chars(port.data(), end, address.port);
  if (fault != std::errc() || rest != end || port.empty()) return invalid(text);
  return address;
}

}  // namespace longshore
