#include "client/http/outgoing_url.h"

#include <algorithm>

namespace longshore {
namespace {

Error refused(std::string_view url, std::string_view why) {
  return {Errc::invalid, "\"" + std::string(url) + "\" is refused: " + std::string(why)};
}

// Names that are always local, whatever they resolve to.
bool is_local_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  for (const std::string_view end : {"localhost", "local", "internal", "localdomain", "lan",
                                     "home.arpa", "intranet", "corp", "private"}) {
    if (host == end || (host.ends_with(end) && host[host.size() - end.size() - 1] == '.')) {
      return true;
    }
  }
  return host.find('.') == std::string_view::npos;  // resolvable only in the local network
}

// Allowed for any host; other ports below 1024 belong to mail, SSH and the like.
bool is_web_port(std::uint16_t port) { return port == 80 || port == 443 || port >= 1024; }

}  // namespace

Result<UrlGuard> UrlGuard::make(const std::vector<std::string>& allowed) {
  UrlGuard guard;
  for (const std::string& entry : allowed) {
    if (const auto network = parse_network(entry)) {
      guard.networks_.push_back(*network);
      continue;
    }
    if (is_host_name(lowered_host(entry))) {
      guard.hosts_.push_back(lowered_host(entry));
      continue;
    }
    return Error{Errc::invalid,
                 "outgoing.allow must list hosts, addresses and networks, got \"" + entry + "\""};
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
    return refused(url.authority(), "that host name is local, and outgoing.allow does not list it");
  }
  if (!is_web_port(url.port)) return refused(url.authority(), "that port is not a web server's");
  return std::nullopt;
}

std::optional<Error> UrlGuard::fault(const OutgoingUrl& url, const IpAddress& address) const {
  if (allows_host(url) || allows(address) || is_public(address)) return std::nullopt;
  return refused(
      url.authority(),
      "it resolves to an address that is not public, and outgoing.allow does not list it");
}

}  // namespace longshore
