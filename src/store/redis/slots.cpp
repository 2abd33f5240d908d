#include "store/redis/slots.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace longshore::redis {
namespace {

// CRC-16 of XMODEM, as Redis's specification of clusters asks for.
constexpr std::array<std::uint16_t, 256> crc_table = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021 : 0);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}();

Error no_map() {
  return {.code = Errc::unavailable, .message = "the reply to CLUSTER SLOTS is no map"};
}

// [host, port, id, ...]; a host that is missing is the one that was asked.
std::optional<Address> node_of(const Reply& reply, const Address& asked) {
  if (reply.items.size() < 2 || reply.items[1].kind != Reply::Kind::integer) return std::nullopt;
  const std::string& host = reply.items[0].text;
  return Address{.host = host.empty() || host == "?" ? asked.host : host,
                 .port = static_cast<int>(reply.items[1].integer)};
}

void add_once(std::vector<Address>& list, const Address& address) {
  if (std::ranges::find(list, address) == list.end()) list.push_back(address);
}

}  // namespace

int slot_of(std::string_view tag) {
  unsigned crc = 0;
  for (const char c : tag) {
    const auto byte = static_cast<unsigned char>(c);
    crc = ((crc << 8) ^ crc_table[((crc >> 8) ^ byte) & 0xff]) & 0xffff;
  }
  return static_cast<int>(crc % slot_count);
}

SlotMap::SlotMap(Address only)
    : owners_(slot_count, 0), primaries_{only}, nodes_{std::move(only)} {}

std::int16_t SlotMap::place_of(const Address& primary) {
  add_once(primaries_, primary);
  return static_cast<std::int16_t>(std::ranges::find(primaries_, primary) - primaries_.begin());
}

Result<SlotMap> SlotMap::read(const Reply& reply, const Address& asked) {
  if (reply.kind != Reply::Kind::array) return no_map();
  SlotMap map;
  std::vector<Address> replicas;
  for (const Reply& range : reply.items) {
    if (range.items.size() < 3) return no_map();
    const std::int64_t first = range.items[0].integer;
    const std::int64_t last = range.items[1].integer;
    const auto primary = node_of(range.items[2], asked);
    if (!primary || first < 0 || first > last || last >= slot_count) return no_map();
    std::fill(map.owners_.begin() + first, map.owners_.begin() + last + 1, map.place_of(*primary));
    for (std::size_t i = 3; i < range.items.size(); ++i) {
      if (const auto replica = node_of(range.items[i], asked)) add_once(replicas, *replica);
    }
  }
  map.nodes_ = map.primaries_;
  for (const Address& replica : replicas) add_once(map.nodes_, replica);
  return map;
}

const Address* SlotMap::owner(int slot) const {
  const std::int16_t place = owners_[static_cast<std::size_t>(slot)];
  return place < 0 ? nullptr : &primaries_[static_cast<std::size_t>(place)];
}

bool SlotMap::whole() const {
  return std::ranges::none_of(owners_, [](std::int16_t place) { return place < 0; });
}

SlotMap SlotMap::with(int slot, const Address& owner) const {
  SlotMap map = *this;
  map.owners_[static_cast<std::size_t>(slot)] = map.place_of(owner);
  add_once(map.nodes_, owner);
  return map;
}

Result<Direction> read_direction(const Reply& reply, const Address& asked) {
  const Error unclear{.code = Errc::unavailable, .message = "no direction: " + reply.text};
  const std::string_view text = reply.text;
  const std::size_t first = text.find(' ');
  const std::size_t second = first == text.npos ? first : text.find(' ', first + 1);
  const std::size_t colon = text.rfind(':');
  if (second == text.npos || colon == text.npos || colon <= second) return unclear;
  Direction direction;
  const auto number = [&](std::size_t from, std::size_t to, int& value) {
    const auto read = std::from_chars(text.data() + from, text.data() + to, value);
    return read.ec == std::errc() && read.ptr == text.data() + to;
  };
  if (!number(first + 1, second, direction.slot) ||
      !number(colon + 1, text.size(), direction.to.port) || direction.slot < 0 ||
      direction.slot >= slot_count) {
    return unclear;
  }
  direction.to.host = text.substr(second + 1, colon - second - 1);
  if (direction.to.host.empty()) direction.to.host = asked.host;
  return direction;
}

}  // namespace longshore::redis
