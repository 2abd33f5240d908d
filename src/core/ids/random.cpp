#include "core/ids/random.h"

#include <bit>

namespace longshore {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t Random::below(std::uint64_t bound) {
  if (bound == 0) return 0;
  // The first 2^64 mod `bound` values would make low results more likely, so they are drawn again.
  const std::uint64_t unfair = (0 - bound) % bound;
  std::uint64_t drawn = next();
  while (drawn < unfair) drawn = next();
  return drawn % bound;
}

double Random::fraction() {
  // A double between 0 and 1 holds 53 bits without rounding.
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

bool Random::chance(double probability) { return fraction() < probability; }

SeededRandom::SeededRandom(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = splitmix64(seed);
}

std::uint64_t SeededRandom::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

}  // namespace longshore
