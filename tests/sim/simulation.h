// Runs one seed and checks its history.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "sim/fiber.h"
#include "sim/setup.h"
#include "sim/trace.h"

namespace longshore::sim {

struct Wanted {
  std::uint64_t seed = 1;
  HostKind host = HostKind::memory;
  Planted planted = Planted::nothing;
  bool wide = true;
  std::string mutant = {};  // the name of a mutant store; memory only
};

// The arguments that make the simulator do the same again: "--seed 7431".
std::string replay_of(const Wanted& wanted);

struct Outcome {
  Wanted wanted;
  std::string setup;  // in words
  checker::Judgement judgement;
  std::vector<std::string> complaints;  // of the simulation's own rules
  std::uint64_t hash = 0;               // of the whole trace
  std::int64_t events = 0;
  std::int64_t switches = 0;
  Duration lasted;  // in virtual time

  bool good() const { return judgement.valid() && complaints.empty(); }
};

// A readable report.
std::string to_text(const Outcome& outcome);

// First with faults, then without; every job must end in a bounded time. The same `wanted` gives
// the same outcome, byte for byte.
Outcome simulate(const Wanted& wanted, StackPool& pool, Trace::Line line = {});

// The store's time that a healed world has.
inline constexpr Duration horizon = Duration::seconds(240);

}  // namespace longshore::sim
