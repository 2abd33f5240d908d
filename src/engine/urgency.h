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
  bulk,     // parts of one call for many jobs: whoever submits says so, it shows in no command
};
inline constexpr int urgency_count = 5;

Urgency urgency_of(const Command& command);

// What a command costs a commit: jobs it touches at most, bytes it brings, and pairs of a queue and
// a job type in which a claim looks for work.
struct Weight {
  std::size_t jobs = 1;
  std::size_t bytes = 0;
  std::size_t lookups = 0;
};
Weight weight_of(const Command& command);

}  // namespace longshore
