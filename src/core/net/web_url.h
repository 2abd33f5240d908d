// An http or https URL of somebody else's service, read strictly.
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
  std::string host;                  // small letters; without the brackets of an IPv6 address
  std::optional<IpAddress> address;  // if that is what the host is
  std::uint16_t port = 0;
  std::string target;  // path and query; begins with '/'

  // For the Host header.
  std::string authority() const;
};

// Errc::invalid, with what is wrong: another scheme, a user's name, spaces, characters that are
// not ASCII, a host that is a number in disguise.
Result<OutgoingUrl> parse_outgoing_url(std::string_view url);

// Whether this is a path and query to ask for as it is: visible ASCII that begins with '/' and
// climbs nowhere ("/a/../b", however it is escaped).
bool is_plain_target(std::string_view target);

// ASCII in small letters, as hosts are compared.
std::string lowered_host(std::string_view text);
bool is_host_name(std::string_view host);

}  // namespace longshore
