#include "client/outgoing_url.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace longshore {
namespace {

constexpr std::size_t url_bytes_max = 2048;

Error refused(std::string_view url, std::string_view why) {
  return {Errc::invalid, "\"" + std::string(url) + "\" is refused: " + std::string(why)};
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), lower);
  return small;
}

bool is_visible(char c) { return c > ' ' && c < 0x7f; }

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

// Its last part is a number, so that some readers take the whole for an address.
bool looks_numeric(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.empty()) return true;
  if (last.starts_with("0x")) return true;
  return std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty() || host.size() > 253 || host.starts_with('.')) return false;
  return std::ranges::all_of(host, is_host_character) && host.find("..") == std::string_view::npos;
}

// Names that are never somebody else's, whatever they resolve to.
bool is_local_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  for (const std::string_view end : {"localhost", "local", "internal", "localdomain", "lan",
                                     "home.arpa", "intranet", "corp", "private"}) {
    if (host == end || (host.ends_with(end) && host[host.size() - end.size() - 1] == '.')) {
      return true;
    }
  }
  return host.find('.') == std::string_view::npos;  // known only to the neighbourhood
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
  if (text.find('@') != std::string_view::npos) return "it names a user";
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find(']'), text.size());
    url.host = lowered(text.substr(1, end - 1));
    url.address = parse_ip(url.host);
    if (end == text.size() || !url.address || url.host.find(':') == std::string::npos) {
      return "what its brackets hold is no IPv6 address";
    }
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    url.host = lowered(text.substr(0, colon));
    url.address = parse_ip(url.host);
    if (!url.address && looks_numeric(url.host)) return "its host is no address, but reads as one";
    if (!url.address && !is_name(url.host)) return "its host is no name";
    port = text.substr(colon);
  }
  url.port = url.secure ? 443 : 80;
  if (port.empty()) return std::nullopt;
  const auto number = port.starts_with(':') ? parse_port(port.substr(1)) : std::nullopt;
  if (!number) return "its port is none";
  url.port = *number;
  return std::nullopt;
}

// Everybody may be asked on these; below 1024 the others are for mail, shells and the like.
bool is_web_port(std::uint16_t port) { return port == 80 || port == 443 || port >= 1024; }

}  // namespace

std::string OutgoingUrl::authority() const {
  const bool bracketed = host.find(':') != std::string::npos;
  const bool usual = port == (secure ? 443 : 80);
  return (bracketed ? "[" + host + "]" : host) + (usual ? "" : ":" + std::to_string(port));
}

Result<OutgoingUrl> parse_outgoing_url(std::string_view text) {
  if (text.size() > url_bytes_max) return Error{Errc::invalid, "the URL is longer than 2048 bytes"};
  if (!std::ranges::all_of(text, is_visible) || text.find('\\') != std::string_view::npos) {
    return Error{Errc::invalid, "the URL holds a character that no URL has"};
  }
  OutgoingUrl url;
  const std::string scheme = lowered(text.substr(0, text.find(':')));
  if (scheme != "http" && scheme != "https") return refused(text, "it is neither http nor https");
  url.secure = scheme == "https";
  std::string_view rest = text.substr(scheme.size());
  if (!rest.starts_with("://")) return refused(text, "it names no host");
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
  std::string path = lowered(target.substr(0, target.find('?')));
  for (std::size_t at = path.find("%2e"); at != std::string::npos; at = path.find("%2e")) {
    path.replace(at, 3, ".");
  }
  path += '/';
  return path.find("/../") == std::string::npos && path.find("/./") == std::string::npos;
}

Result<UrlGuard> UrlGuard::make(const std::vector<std::string>& allowed) {
  UrlGuard guard;
  for (const std::string& entry : allowed) {
    if (const auto network = parse_network(entry)) {
      guard.networks_.push_back(*network);
      continue;
    }
    if (is_name(lowered(entry))) {
      guard.hosts_.push_back(lowered(entry));
      continue;
    }
    return Error{Errc::invalid,
                 "outgoing.allow takes hosts, addresses and networks, but has \"" + entry + "\""};
  }
  return guard;
}

bool UrlGuard::allows_host(const OutgoingUrl& url) const {
  if (url.address) return allows(*url.address);
  return std::ranges::find(hosts_, url.host) != hosts_.end();
}

bool UrlGuard::allows(const IpAddress& address) const {
  return std::ranges::any_of(networks_,
                             [&](const IpNetwork& network) { return network.contains(address); });
}

std::optional<Error> UrlGuard::fault(const OutgoingUrl& url) const {
  if (allows_host(url)) return std::nullopt;
  if (url.address && !is_public(*url.address)) {
    return refused(url.authority(),
                   "that address is not public, and outgoing.allow does not list it");
  }
  if (!url.address && is_local_name(url.host)) {
    return refused(url.authority(),
                   "that name is a local one, and outgoing.allow does not list it");
  }
  if (!is_web_port(url.port)) return refused(url.authority(), "that port is no web server's");
  return std::nullopt;
}

std::optional<Error> UrlGuard::fault(const OutgoingUrl& url, const IpAddress& address) const {
  if (allows_host(url) || allows(address) || is_public(address)) return std::nullopt;
  return refused(
      url.authority(),
      "it resolves to an address that is not public, and outgoing.allow does not list it");
}

}  // namespace longshore
