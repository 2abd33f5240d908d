#include "api/auth/client_address.h"

#include <algorithm>

namespace longshore {
namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// The entries of a header that may come several times, in the order sent.
std::vector<std::string_view> entries_of(const HttpRequest& request, std::string_view name) {
  std::vector<std::string_view> entries;
  for (const HttpHeader& header : request.headers) {
    if (lowered(header.name) != name) continue;
    std::string_view rest = header.value;
    while (true) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      entries.push_back(trimmed(rest.substr(0, comma)));
      if (comma == rest.size()) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return entries;
}

// "1.2.3.4:5678" and "[2001:db8::1]:5678", as some proxies write.
std::string_view without_port(std::string_view entry) {
  if (entry.starts_with('[')) return entry.substr(1, entry.find(']') - 1);
  const std::size_t colon = entry.find(':');
  const bool single = colon != std::string_view::npos && entry.rfind(':') == colon;
  return single ? entry.substr(0, colon) : entry;
}

}  // namespace

Result<TrustedProxies> TrustedProxies::make(const std::vector<std::string>& networks) {
  TrustedProxies proxies;
  for (const std::string& text : networks) {
    const std::optional<IpNetwork> network = parse_network(text);
    if (!network) {
      return Error{Errc::invalid, "trusted-proxies: \"" + text +
                                      "\" is not an IP address or a network such as 10.0.0.0/8"};
    }
    proxies.networks_.push_back(*network);
  }
  return proxies;
}

bool TrustedProxies::trusts(std::string_view address) const {
  const std::optional<IpAddress> parsed = parse_ip(address);
  return parsed && std::ranges::any_of(networks_, [&](const IpNetwork& network) {
           return network.contains(*parsed);
         });
}

std::string TrustedProxies::client_of(const HttpRequest& request) const {
  if (networks_.empty() || !trusts(request.peer)) return request.peer;
  const std::vector<std::string_view> hops = entries_of(request, "x-forwarded-for");
  // Each proxy appends its peer, so the list is read from its end, as far as trusted proxies wrote
  // it.
  std::string client = request.peer;
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    const std::string_view address = without_port(*hop);
    if (!parse_ip(address)) break;
    client = address;
    if (!trusts(address)) break;
  }
  return client;
}

bool TrustedProxies::is_secure(const HttpRequest& request) const {
  if (request.secure) return true;
  if (networks_.empty() || !trusts(request.peer)) return false;
  const std::vector<std::string_view> schemes = entries_of(request, "x-forwarded-proto");
  return !schemes.empty() && lowered(schemes.back()) == "https";
}

bool is_forwarded(const HttpRequest& request) {
  return std::ranges::any_of(request.headers, [](const HttpHeader& header) {
    const std::string name = lowered(header.name);
    return name == "forwarded" || name == "via" || name == "x-real-ip" ||
           name.starts_with("x-forwarded-");
  });
}

std::string throttled_address(std::string_view address) {
  const std::optional<IpAddress> parsed = parse_ip(address);
  if (!parsed || is_ipv4(*parsed)) return std::string(address);
  return std::string(reinterpret_cast<const char*>(parsed->bytes.data()), 8);
}

}  // namespace longshore
