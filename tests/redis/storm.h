// What happens to the servers of a store on Redis.
#pragma once

#include <cstdint>
#include <string>

#include "storm/storm.h"

namespace longshore::redis_test {

using storm::Storm;

// One server with `appendfsync always`, killed so many times and started again with its files.
Storm kill_server(int times, std::uint64_t seed);

// A cluster whose primary of the jobs is killed so many times. Another takes its place, and the old
// one comes back to follow it.
Storm fail_over(int times, std::uint64_t seed);

// A cluster in which the slot of the jobs goes round so many times.
struct Moves {
  Storm storm;
  std::int64_t moved = 0;  // MOVED that the nodes answered
  std::int64_t asked = 0;  // ASK that they did
  std::int64_t keys = 0;   // keys that went from node to node
};
Moves move_slots(int times, std::uint64_t seed);
std::string to_text(const Moves& moves, const std::string& faults);
// No client may notice: every call was answered, at the first attempt.
bool unnoticed(const Moves& moves);

// One server with `appendfsync everysec` that loses what the disk had not been given yet, as in a
// power cut, so many times.
struct Cuts {
  std::string problem;             // what went wrong besides; empty: nothing
  std::int64_t acknowledged = 0;   // jobs
  std::int64_t lost = 0;           // of them
  std::int64_t oldest_millis = 0;  // how long before a cut the earliest lost one was acknowledged
  std::int64_t silent = 0;         // cuts that lost something and raised no alarm
};
Cuts cut_power(int times);
std::string to_text(const Cuts& cuts, const std::string& faults);
// At most two seconds, and reported.
bool bounded(const Cuts& cuts);

}  // namespace longshore::redis_test
