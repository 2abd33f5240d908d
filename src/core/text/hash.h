// The hash of stored bodies, outcomes and error groups. It must never change, because its values
// are stored. It is MurmurHash3 x64 128 (Appleby), which is not cryptographic: an attacker can
// construct collisions.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace longshore {

struct Hash128 {
  std::uint64_t high = 0;  // the first 64 bits of the published algorithm's result
  std::uint64_t low = 0;
  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;
};

// Different seeds give unrelated hashes of one text.
Hash128 hash128(std::string_view text, std::uint32_t seed = 0);

// The high half of hash128.
std::uint64_t hash64(std::string_view text, std::uint32_t seed = 0);

}  // namespace longshore
