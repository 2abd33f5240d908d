#include "core/net/ip_address.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

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

// IANA's special-purpose ranges, which are not globally reachable.
constexpr Range4 special4[] = {
    {quad(0, 0, 0, 0), 8},        // this network
    {quad(10, 0, 0, 0), 8},       // private
    {quad(100, 64, 0, 0), 10},    // carrier-grade NAT
    {quad(127, 0, 0, 0), 8},      // loopback
    {quad(169, 254, 0, 0), 16},   // link-local, and cloud metadata services
    {quad(172, 16, 0, 0), 12},    // private
    {quad(192, 0, 0, 0), 24},     // protocol assignments
    {quad(192, 0, 2, 0), 24},     // documentation
    {quad(192, 88, 99, 0), 24},   // 6to4 relays
    {quad(192, 168, 0, 0), 16},   // private
    {quad(198, 18, 0, 0), 15},    // benchmarks
    {quad(198, 51, 100, 0), 24},  // documentation
    {quad(203, 0, 113, 0), 24},   // documentation
    {quad(224, 0, 0, 0), 3},      // multicast, reserved, broadcast
};

bool is_public4(std::uint32_t address) {
  // The metadata service of a cloud, on a public address.
  if (address == quad(168, 63, 129, 16)) return false;
  return std::ranges::none_of(special4, [&](const Range4& range) {
    return (address ^ range.address) >> (32 - range.bits) == 0;
  });
}

std::uint32_t quad_at(const Bytes& bytes, std::size_t at) {
  return quad(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

// Within 2000::/3, outside of which nothing is public.
constexpr IpNetwork special6[] = {
    {{{0x20, 0x01, 0x00}}, 23},        // protocols, Teredo, ORCHID
    {{{0x20, 0x01, 0x0d, 0xb8}}, 32},  // documentation
    {{{0x20, 0x02}}, 16},              // 6to4, which wraps any IPv4 address
    {{{0x3f, 0xff, 0x00}}, 20},        // documentation
};

template <class Number>
std::optional<Number> parse_number(std::string_view text, int base, std::size_t digits_max) {
  Number value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole && text.size() <= digits_max ? std::optional(value) : std::nullopt;
}

std::optional<std::uint32_t> parse_ip4(std::string_view text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view digits = text.substr(0, dot);
    const auto number = parse_number<std::uint32_t>(digits, 10, 3);
    // Some parsers read a leading zero as octal.
    const bool leading_zero = digits.size() > 1 && digits[0] == '0';
    if (!number || *number > 255 || leading_zero) return std::nullopt;
    address = address << 8 | *number;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return address;
}

void put_quad(Bytes& bytes, std::size_t at, std::uint32_t quad) {
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(quad >> (24 - 8 * i));
  }
}

// Groups of four hexadecimal digits between colons, the last two perhaps as an IPv4 address.
std::optional<std::vector<std::uint8_t>> parse_groups(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, colon);
    const bool last = colon == text.size();
    if (last && group.find('.') != std::string_view::npos) {
      const std::optional<std::uint32_t> four = parse_ip4(group);
      if (!four) return std::nullopt;
      Bytes quad{};
      put_quad(quad, 0, *four);
      bytes.insert(bytes.end(), quad.begin(), quad.begin() + 4);
      return bytes;
    }
    const auto number = parse_number<std::uint16_t>(group, 16, 4);
    if (!number) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(*number >> 8));
    bytes.push_back(static_cast<std::uint8_t>(*number));
    if (last) return bytes;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;  // ends with a colon
  }
  return bytes;
}

std::optional<IpAddress> parse_ip6(std::string_view text) {
  const std::size_t gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  const auto front = parse_groups(text.substr(0, has_gap ? gap : text.size()));
  const auto back = parse_groups(has_gap ? text.substr(gap + 2) : std::string_view());
  // An embedded IPv4 address must be at the end, not before the gap.
  const bool misplaced = has_gap && text.substr(0, gap).find('.') != std::string_view::npos;
  if (!front || !back || misplaced) return std::nullopt;
  IpAddress address;
  const std::size_t given = front->size() + back->size();
  if (has_gap ? given > 14 : given != 16) return std::nullopt;
  std::ranges::copy(*front, address.bytes.begin());
  std::ranges::copy(*back, address.bytes.end() - std::ssize(*back));
  return address;
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return parse_ip6(text);
  const std::optional<std::uint32_t> four = parse_ip4(text);
  if (!four) return std::nullopt;
  IpAddress address{mapped};
  put_quad(address.bytes, 12, *four);
  return address;
}

bool IpNetwork::contains(const IpAddress& one) const {
  for (int bit = 0; bit < bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if ((one.bytes[byte] & mask) != (address.bytes[byte] & mask)) return false;
  }
  return true;
}

bool is_ipv4(const IpAddress& address) { return IpNetwork{{mapped}, 96}.contains(address); }

std::optional<IpNetwork> parse_network(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::optional<IpAddress> address = parse_ip(text.substr(0, slash));
  if (!address) return std::nullopt;
  const int most = text.find(':') == std::string_view::npos ? 32 : 128;
  if (slash == text.size()) return IpNetwork{*address, 128};
  const std::string_view rest = text.substr(slash + 1);
  int bits = -1;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), bits);
  const bool sound = fault == std::errc() && end == rest.data() + rest.size();
  if (!sound || bits < 0 || bits > most) return std::nullopt;
  return IpNetwork{*address, bits + 128 - most};
}

bool is_public(const IpAddress& address) {
  const Bytes& bytes = address.bytes;
  const IpNetwork translated{{{0x00, 0x64, 0xff, 0x9b}}, 96};
  if (is_ipv4(address) || translated.contains(address)) return is_public4(quad_at(bytes, 12));
  const IpNetwork global{{{0x20}}, 3};
  if (!global.contains(address)) return false;
  return std::ranges::none_of(special6,
                              [&](const IpNetwork& range) { return range.contains(address); });
}

}  // namespace longshore
