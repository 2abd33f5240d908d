// Kills a working process again and again, with SIGKILL and at random moments, each time on the
// same store, and lets the checker judge what clients were told against what is there.
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
  std::int64_t in_flight = 0;  // asked and not answered when it was killed
  Duration ready;              // from its start to an open store

  // Else it proves little: it died while it recovered, or the kill interrupted nothing.
  bool under_load() const { return acknowledged > 0 && in_flight > 0; }
};

struct Kills {
  std::string problem;  // what went wrong outside the store's promises; empty: nothing
  std::vector<Life> lives;
  checker::Judgement judgement;

  std::int64_t acknowledged() const;
  std::int64_t in_flight() const;
  int under_load() const;
};

struct KillPlan {
  Program program = Program::store;
  int kills = 50;  // under load; as many more as it takes are not
  std::uint64_t seed = 1;
};

// `directory` must exist and be empty. Prints a line for each kill.
// REQUIRES: the calling process has no other threads, for it forks.
Kills kill_often(const std::string& directory, const KillPlan& plan);

}  // namespace longshore::crash
