// Who goes first when there is more to commit than fits into one commit, and who is turned away
// first when there is more than fits into memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "longshore/command.h"

namespace longshore {

enum class Urgency : std::uint8_t {
  settle,   // work that is done must never be lost for want of room: always taken
  lease,    // hands out work
  enqueue,  // brings in work
  upkeep,   // sweeps and observations: come round again
};
inline constexpr int urgency_count = 4;

Urgency urgency_of(const Command& command);

// What a command costs a commit: jobs it touches at most, and bytes it brings.
struct Weight {
  std::size_t jobs = 1;
  std::size_t bytes = 0;
};
Weight weight_of(const Command& command);

}  // namespace longshore
