// An http or https URL of an external service, parsed strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/net/ip_address.h"
#include "longshore/error.h"

namespace longshore {

struct OutgoingUrl {
  bool secure = false;
  std::string host;                  // lower case; without the brackets of an IPv6 address
  std::optional<IpAddress> address;  // if the host is one
  std::uint16_t port = 0;
  std::string target;  // path and query; begins with '/'

  // For the Host header.
  std::string authority() const;
};

// Errc::invalid for another scheme, user information, spaces, characters outside ASCII, and hosts
// that some parsers would read as an IP address.
Result<OutgoingUrl> parse_outgoing_url(std::string_view url);

// Whether this is a path and query that can be sent unchanged: visible ASCII that begins with '/',
// without dot segments ("/a/../b", also escaped).
bool is_plain_target(std::string_view target);

// ASCII in lower case, for comparing hosts.
std::string lowered_host(std::string_view text);
bool is_host_name(std::string_view host);

}  // namespace longshore
