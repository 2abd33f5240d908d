// Reading words out of bytes, the same on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace longshore {

// The first of the eight bytes is the lowest. They need no alignment.
inline std::uint64_t load_little_endian(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

}  // namespace longshore
