// Random numbers of the operating system, suitable for secrets.
#pragma once

#include <array>
#include <cstddef>

#include "core/ids/random.h"

namespace longshore {

// Not safe to share between threads, like every Random. Aborts if the system call fails, because
// predictable ids and tokens would be worse.
class OsRandom final : public Random {
 public:
  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 32> drawn_{};
  std::size_t left_ = 0;
};

}  // namespace longshore
