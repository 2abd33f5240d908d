// Randomness is a parameter, so that a run can be repeated from its seed.
#pragma once

#include <array>
#include <cstdint>

namespace longshore {

// A source of evenly distributed bits. Not safe to share between threads.
class Random {
 public:
  virtual ~Random() = default;

  // 64 bits, each as likely 0 as 1.
  virtual std::uint64_t next() = 0;

  // A number from 0 to `bound` - 1, all equally likely; 0 for a bound of 0.
  std::uint64_t below(std::uint64_t bound);

  // A number from 0 up to but not including 1.
  double fraction();

  // True with this probability: never at 0 or less, always at 1 or more.
  bool chance(double probability);
};

// The same seed gives the same numbers on every machine and in every version: xoshiro256**
// (Blackman and Vigna), seeded by splitmix64. Its output is predictable; secrets need another
// source.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed);

  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace longshore
