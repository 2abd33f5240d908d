// Which node of a cluster holds which keys.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "longshore/error.h"
#include "store/redis/reply.h"
#include "store/redis/url.h"

namespace longshore::redis {

inline constexpr int slot_count = 16384;

// The slot of all keys that have `tag` between their first braces.
int slot_of(std::string_view tag);

// A value; whoever learns more makes a new one.
class SlotMap {
 public:
  // All slots at one server, as it is without a cluster.
  explicit SlotMap(Address only);
  // From the reply to CLUSTER SLOTS by the node at `asked`. Errc::unavailable for what is no map.
  static Result<SlotMap> read(const Reply& reply, const Address& asked);

  // Null for a slot that nobody holds.
  const Address* owner(int slot) const;
  bool whole() const;
  const std::vector<Address>& primaries() const { return primaries_; }
  // Every node that was named, primaries first.
  const std::vector<Address>& nodes() const { return nodes_; }
  // The same with one slot elsewhere.
  SlotMap with(int slot, const Address& owner) const;

 private:
  SlotMap() : owners_(slot_count, -1) {}
  std::int16_t place_of(const Address& primary);

  std::vector<std::int16_t> owners_;  // places in primaries_, or -1
  std::vector<Address> primaries_;
  std::vector<Address> nodes_;
};

// Where MOVED or ASK sends: "MOVED 3999 127.0.0.1:6381". `asked` stands in for a host that the
// server leaves out.
struct Direction {
  int slot = 0;
  Address to;
};
Result<Direction> read_direction(const Reply& reply, const Address& asked);

}  // namespace longshore::redis
