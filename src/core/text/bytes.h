// Bytes and digits, for the readers and writers of text.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace longshore {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Eight bytes as a number, lowest byte first on every machine. They need no alignment.
inline std::uint64_t load_little_endian(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

}  // namespace longshore
