// Priorities of commands: which are committed first if not all fit into a commit, and which are
// rejected first if the queue is full.
#pragma once

#include <cstddef>
#include <cstdint>

#include "longshore/command.h"

namespace longshore {

enum class Urgency : std::uint8_t {
  settle,   // ends attempts: always accepted, so that finished work is not lost
  lease,    // starts attempts
  enqueue,  // creates jobs, and everything else
  upkeep,   // periodic commands: will be sent again
  bulk,     // parts of a bulk call; set by the caller, not derived from the command
};
inline constexpr int urgency_count = 5;

Urgency urgency_of(const Command& command);

// The cost of a command in a commit: the most jobs it can touch, its bytes, and the pairs of queue
// and job type that a claim searches.
struct Weight {
  std::size_t jobs = 1;
  std::size_t bytes = 0;
  std::size_t lookups = 0;
};
Weight weight_of(const Command& command);

}  // namespace longshore
