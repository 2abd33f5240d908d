// One seed, from the first node's start to the verdict.
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
  Ground ground = Ground::memory;
  Planted planted = Planted::nothing;
  bool wide = true;
  std::string mutant = {};  // the name of a store with something wrong, on memory alone
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

// A page for people.
std::string to_text(const Outcome& outcome);

// Chaos first; then all harm ends, and everything has to come to its end in a bounded time. The
// same `wanted` gives the same outcome, and the same lines, byte for byte.
Outcome simulate(const Wanted& wanted, StackPool& pool, Trace::Line line = {});

// The store's time that a healed world has.
inline constexpr Duration horizon = Duration::seconds(240);

}  // namespace longshore::sim
