// IP addresses and networks, parsed strictly.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace longshore {

// 16 bytes; an IPv4 address as ::ffff:a.b.c.d.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes = {};
  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

// Accepts only unambiguous notation: four decimal numbers without leading zeros, or IPv6 without
// brackets and zone.
std::optional<IpAddress> parse_ip(std::string_view text);

// True for globally reachable addresses: not loopback, private or other special-purpose ranges.
// IPv6 addresses that embed an IPv4 address are checked by the latter.
bool is_public(const IpAddress& address);

bool is_ipv4(const IpAddress& address);

struct IpNetwork {
  IpAddress address;
  int bits = 128;  // of the 16 bytes
  bool contains(const IpAddress& one) const;
};

// "10.0.0.0/8", "2001:db8::/32", or one address.
std::optional<IpNetwork> parse_network(std::string_view text);

}  // namespace longshore
