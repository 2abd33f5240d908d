#include "api/origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <string>

namespace longshore {
namespace {

struct HostAndPort {
  std::string_view host;  // of an IPv6 address, without the brackets
  std::string_view port;  // empty: the scheme's own
};

HostAndPort split(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {};
    std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return {};
    return {text.substr(1, end - 1), rest.empty() ? rest : rest.substr(1)};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool equal_names(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_loopback_name(std::string_view name) {
  return equal_names(name, "localhost") || is_loopback_address(name);
}

std::string_view port_of(const HostAndPort& place, bool secure) {
  if (!place.port.empty()) return place.port;
  return secure ? "443" : "80";
}

}  // namespace

bool is_loopback_address(std::string_view address) {
  const std::string text(address);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) != 1) return false;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return six.s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&six);
}

bool is_own_origin(std::string_view origin, std::string_view host, bool secure) {
  const std::string_view scheme = secure ? "https://" : "http://";
  if (!origin.starts_with(scheme)) return false;
  const HostAndPort from = split(origin.substr(scheme.size()));
  const HostAndPort here = split(host);
  if (from.host.empty() || port_of(from, secure) != port_of(here, secure)) return false;
  return equal_names(from.host, here.host) ||
         (is_loopback_name(from.host) && is_loopback_name(here.host));
}

}  // namespace longshore
