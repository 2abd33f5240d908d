// Repeatedly kills a working process with SIGKILL at random times, always on the same store, and
// lets the checker compare the answers that clients got with the store's content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "crash/child.h"
#include "longshore/time.h"

namespace longshore::crash {

// One process from its start to its kill.
struct Life {
  std::int64_t acknowledged = 0;
  std::int64_t in_flight = 0;  // sent and not answered when it was killed
  Duration ready;              // from its start to an open store

  // Otherwise it proves little: it was killed while recovering, or no request was in flight.
  bool under_load() const { return acknowledged > 0 && in_flight > 0; }
};

struct Kills {
  std::string problem;  // a problem other than a broken promise of the store; empty: none
  std::vector<Life> lives;
  checker::Judgement judgement;

  std::int64_t acknowledged() const;
  std::int64_t in_flight() const;
  int under_load() const;
};

struct KillPlan {
  Program program = Program::store;
  int kills = 50;  // under load; others do not count
  std::uint64_t seed = 1;
};

// `directory` must exist and be empty. Prints a line for each kill.
// REQUIRES: the calling process has no other threads, since it forks.
Kills kill_often(const std::string& directory, const KillPlan& plan);

}  // namespace longshore::crash
