// Storms on Redis: faults of its servers.
#pragma once

#include <cstdint>
#include <string>

#include "storm/storm.h"

namespace longshore::redis_test {

using storm::Storm;

// One server with `appendfsync always`, killed and restarted with its files `times` times.
Storm kill_server(int times, std::uint64_t seed);

// A cluster whose primary of the jobs is killed `times` times. A replica takes over, and the old
// primary becomes its replica.
Storm fail_over(int times, std::uint64_t seed);

// A cluster in which the slot of the jobs migrates `times` times.
struct Moves {
  Storm storm;
  std::int64_t moved = 0;  // MOVED answers of the nodes
  std::int64_t asked = 0;  // ASK answers of the nodes
  std::int64_t keys = 0;   // migrated keys
};
Moves move_slots(int times, std::uint64_t seed);
std::string to_text(const Moves& moves, const std::string& faults);
// Clients must not notice: every call was answered at the first attempt.
bool unnoticed(const Moves& moves);

// One server with `appendfsync everysec` that loses unsynced data, as in a power cut, `times`
// times.
struct Cuts {
  std::string problem;             // another problem; empty: none
  std::int64_t acknowledged = 0;   // jobs
  std::int64_t lost = 0;           // of them
  std::int64_t oldest_millis = 0;  // how long before a cut the earliest lost one was acknowledged
  std::int64_t silent = 0;         // cuts that lost something without an alarm
};
Cuts cut_power(int times);
std::string to_text(const Cuts& cuts, const std::string& faults);
// Losses are at most two seconds old, and reported.
bool bounded(const Cuts& cuts);

}  // namespace longshore::redis_test
