#include "client/server/server_address.h"

#include <algorithm>
#include <charconv>

namespace longshore {
namespace {

Error invalid(std::string_view url) {
  return {Errc::invalid, "\"" + std::string(url) +
                             "\" is not a server address; use http://HOST:PORT or "
                             "https://HOST:PORT"};
}

bool is_port(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc() && rest == end && number > 0 && number <= 65535;
}

// Splits "host:port" or "[::1]:port"; false if it is neither.
bool read_authority(std::string_view text, ServerAddress& address) {
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    address.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    address.host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  address.port = address.secure ? "443" : "80";
  if (!rest.empty()) {
    if (!rest.starts_with(':') || !is_port(rest.substr(1))) return false;
    address.port = rest.substr(1);
  }
  return !address.host.empty();
}

}  // namespace

std::string ServerAddress::authority() const {
  const bool numbers = host.find(':') != std::string::npos;
  const bool usual = port == (secure ? "443" : "80");
  return (numbers ? "[" + host + "]" : host) + (usual ? "" : ":" + port);
}

Result<ServerAddress> parse_server_url(std::string_view url) {
  ServerAddress address;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    address.secure = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return invalid(url);
  }
  const bool plain = std::ranges::all_of(rest, [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain || rest.find_first_of("?#@") != std::string_view::npos) return invalid(url);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (!read_authority(rest.substr(0, slash), address)) return invalid(url);
  address.base = rest.substr(slash);
  while (address.base.ends_with('/')) address.base.pop_back();
  return address;
}

}  // namespace longshore
