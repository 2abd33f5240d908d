#include "core/text/hash.h"

#include <bit>
#include <cstddef>

#include "core/text/bytes.h"

namespace longshore {
namespace {

constexpr std::uint64_t c1 = 0x87C37B91114253D5ULL;
constexpr std::uint64_t c2 = 0x4CF5AD432745937FULL;

// At most eight bytes, the first the lowest; missing ones count as zeros.
std::uint64_t load_tail(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

std::uint64_t mix_first(std::uint64_t k) { return std::rotl(k * c1, 31) * c2; }
std::uint64_t mix_second(std::uint64_t k) { return std::rotl(k * c2, 33) * c1; }

std::uint64_t finish(std::uint64_t k) {
  k = (k ^ (k >> 33)) * 0xFF51AFD7ED558CCDULL;
  k = (k ^ (k >> 33)) * 0xC4CEB9FE1A85EC53ULL;
  return k ^ (k >> 33);
}

}  // namespace

Hash128 hash128(std::string_view text, std::uint32_t seed) {
  std::uint64_t h1 = seed;
  std::uint64_t h2 = seed;
  std::string_view rest = text;
  for (; rest.size() >= 16; rest.remove_prefix(16)) {
    h1 ^= mix_first(load_little_endian(rest.data()));
    h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52DCE729;
    h2 ^= mix_second(load_little_endian(rest.data() + 8));
    h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495AB5;
  }
  if (rest.size() > 8) h2 ^= mix_second(load_tail(rest.substr(8)));
  h1 ^= mix_first(load_tail(rest.substr(0, 8)));

  h1 ^= text.size();
  h2 ^= text.size();
  h1 += h2;
  h2 += h1;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 += h2;
  h2 += h1;
  return {.high = h1, .low = h2};
}

std::uint64_t hash64(std::string_view text, std::uint32_t seed) { return hash128(text, seed).high; }

}  // namespace longshore
