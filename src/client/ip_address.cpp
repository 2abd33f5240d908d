#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "client/outgoing_url.h"

namespace longshore {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

constexpr Bytes mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct Range4 {
  std::uint32_t address;
  int bits;
};

constexpr std::uint32_t quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// What IANA lists as not of the open internet.
constexpr Range4 special4[] = {
    {quad(0, 0, 0, 0), 8},        // this network
    {quad(10, 0, 0, 0), 8},       // private
    {quad(100, 64, 0, 0), 10},    // carriers' own
    {quad(127, 0, 0, 0), 8},      // this machine
    {quad(169, 254, 0, 0), 16},   // link-local, and the clouds' metadata
    {quad(172, 16, 0, 0), 12},    // private
    {quad(192, 0, 0, 0), 24},     // protocols
    {quad(192, 0, 2, 0), 24},     // examples
    {quad(192, 88, 99, 0), 24},   // 6to4 relays
    {quad(192, 168, 0, 0), 16},   // private
    {quad(198, 18, 0, 0), 15},    // benchmarks
    {quad(198, 51, 100, 0), 24},  // examples
    {quad(203, 0, 113, 0), 24},   // examples
    {quad(224, 0, 0, 0), 3},      // multicast, reserved, broadcast
};

bool is_public4(std::uint32_t address) {
  // A cloud's metadata on a public address.
  if (address == quad(168, 63, 129, 16)) return false;
  return std::ranges::none_of(special4, [&](const Range4& range) {
    return (address ^ range.address) >> (32 - range.bits) == 0;
  });
}

std::uint32_t quad_at(const Bytes& bytes, std::size_t at) {
  return quad(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

struct Range6 {
  Bytes address;
  int bits;
};

// Within 2000::/3, outside of which nothing is public.
constexpr Range6 special6[] = {
    {{0x20, 0x01, 0x00}, 23},        // protocols, Teredo, ORCHID
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // examples
    {{0x20, 0x02}, 16},              // 6to4, which wraps any IPv4 address
    {{0x3f, 0xff, 0x00}, 20},        // examples
};

bool within(const Bytes& address, const Range6& range) {
  for (int bit = 0; bit < range.bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if ((address[byte] & mask) != (range.address[byte] & mask)) return false;
  }
  return true;
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::string copy(text);
  IpAddress address;
  if (::inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1) return address;
  address.bytes = mapped;
  if (::inet_pton(AF_INET, copy.c_str(), address.bytes.data() + 12) != 1) return std::nullopt;
  // Not every reader takes a leading zero for decimal.
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool first = i == 0 || text[i - 1] == '.';
    if (first && text[i] == '0' && text[i + 1] != '.') return std::nullopt;
  }
  return address;
}

bool is_public(const IpAddress& address) {
  const Bytes& bytes = address.bytes;
  if (within(bytes, {mapped, 96})) return is_public4(quad_at(bytes, 12));
  const Bytes translated = {0x00, 0x64, 0xff, 0x9b};
  if (within(bytes, {translated, 96})) return is_public4(quad_at(bytes, 12));
  if (!within(bytes, {{0x20}, 3})) return false;
  return std::ranges::none_of(special6, [&](const Range6& range) { return within(bytes, range); });
}

}  // namespace longshore
