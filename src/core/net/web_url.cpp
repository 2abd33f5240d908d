#include "core/net/web_url.h"

#include <algorithm>
#include <charconv>

#include "core/rules/limits.h"

namespace longshore {
namespace {

Error refused(std::string_view url, std::string_view why) {
  return {Errc::invalid, "\"" + std::string(url) + "\" is not allowed: " + std::string(why)};
}

bool is_visible(char c) { return c > ' ' && c < 0x7f; }

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

// The last label is a number, so that some parsers read the host as an address.
bool looks_numeric(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.empty()) return true;
  if (last.starts_with("0x")) return true;
  return std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, port);
  if (fault != std::errc() || rest != end || port == 0 || text.starts_with('0')) {
    return std::nullopt;
  }
  return port;
}

// "host", "host:port" or "[::1]:port".
std::optional<std::string> read_authority(std::string_view text, OutgoingUrl& url) {
  if (text.find('@') != std::string_view::npos) return "it contains user information";
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find(']'), text.size());
    url.host = lowered_host(text.substr(1, end - 1));
    url.address = parse_ip(url.host);
    if (end == text.size() || !url.address || url.host.find(':') == std::string::npos) {
      return "the brackets do not contain an IPv6 address";
    }
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    url.host = lowered_host(text.substr(0, colon));
    url.address = parse_ip(url.host);
    if (!url.address && looks_numeric(url.host))
      return "the host looks like an IP address but is not a valid one";
    if (!url.address && !is_host_name(url.host)) return "invalid host name";
    port = text.substr(colon);
  }
  url.port = url.secure ? 443 : 80;
  if (port.empty()) return std::nullopt;
  const auto number = port.starts_with(':') ? parse_port(port.substr(1)) : std::nullopt;
  if (!number) return "invalid port";
  url.port = *number;
  return std::nullopt;
}

}  // namespace

std::string lowered_host(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lowered;
}

bool is_host_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty() || host.size() > 253 || host.starts_with('.')) return false;
  return std::ranges::all_of(host, is_host_character) && host.find("..") == std::string_view::npos;
}

std::string OutgoingUrl::authority() const {
  const bool bracketed = host.find(':') != std::string::npos;
  const bool usual = port == (secure ? 443 : 80);
  return (bracketed ? "[" + host + "]" : host) + (usual ? "" : ":" + std::to_string(port));
}

Result<OutgoingUrl> parse_outgoing_url(std::string_view text) {
  if (text.size() > url_bytes_max) return Error{Errc::invalid, "the URL is longer than 2048 bytes"};
  if (!std::ranges::all_of(text, is_visible) || text.find('\\') != std::string_view::npos) {
    return Error{Errc::invalid, "the URL contains an invalid character"};
  }
  OutgoingUrl url;
  const std::string scheme = lowered_host(text.substr(0, text.find(':')));
  if (scheme != "http" && scheme != "https")
    return refused(text, "the scheme must be http or https");
  url.secure = scheme == "https";
  std::string_view rest = text.substr(scheme.size());
  if (!rest.starts_with("://")) return refused(text, "the host is missing");
  rest.remove_prefix(3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (auto fault = read_authority(authority, url)) return refused(text, *fault);
  rest.remove_prefix(authority.size());
  rest = rest.substr(0, rest.find('#'));
  url.target = (rest.starts_with('/') ? "" : "/") + std::string(rest);
  return url;
}

bool is_plain_target(std::string_view target) {
  if (!target.starts_with('/') || !std::ranges::all_of(target, is_visible)) return false;
  if (target.find_first_of("#\\") != std::string_view::npos) return false;
  std::string path = lowered_host(target.substr(0, target.find('?')));
  for (std::size_t at = path.find("%2e"); at != std::string::npos; at = path.find("%2e")) {
    path.replace(at, 3, ".");
  }
  path += '/';
  return path.find("/../") == std::string::npos && path.find("/./") == std::string::npos;
}

}  // namespace longshore
