// A model of a job as clients see it, without trusting the history in the store. Time is not
// modelled: effects of the clock may happen at any time, so an order that the model does not allow
// is wrong under every clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/facts.h"

namespace longshore::checker {

struct Model {
  enum class Phase : std::uint8_t { absent, pending, running, waiting, success, dead, canceled };
  Phase phase = Phase::absent;
  std::int64_t epoch = 0;
  bool cancel_requested = false;
  std::uint64_t result = 0;
  // The last settlement by token, until the next claim.
  std::int64_t settled_epoch = 0;
  Verb settled_as = Verb::other;
  Status settled_status = Status::pending;

  friend bool operator==(const Model&, const Model&) = default;
};

// Constant for a job.
struct World {
  JobId job;
  bool expires = false;         // the clock may withdraw it before it starts
  bool hidden_claims = false;   // some claim was never answered
  std::int64_t last_epoch = 0;  // the highest seen
};

// The model and all its possible successors by effects of the clock.
void with_time(const World& world, const Model& model, std::vector<Model>& all);

// The possible models after the operation; empty if its answer is impossible. An operation without
// an answer may have several.
void after(const World& world, const Model& model, const Operation& op, std::vector<Model>& all);

}  // namespace longshore::checker
