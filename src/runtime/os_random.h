// Chance from the operating system: fit for secrets.
#pragma once

#include <array>
#include <cstddef>

#include "core/ids/random.h"

namespace longshore {

// Not safe to share between threads, like every Random. Aborts if the system has no randomness
// to give, since ids and tokens that can be guessed would be worse.
class OsRandom final : public Random {
 public:
  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 32> drawn_{};
  std::size_t left_ = 0;
};

}  // namespace longshore
