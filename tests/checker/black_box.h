// What a job can look like from outside, without trust in anything the store wrote down. Time is
// not modelled: whatever the clock might do to a job may happen at any moment, so that an order
// that the model cannot explain is wrong under every clock.
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

// What is the same for a job's whole life.
struct World {
  JobId job;
  bool expires = false;         // the clock may withdraw it before it starts
  bool hidden_claims = false;   // somebody's claim was never answered
  std::int64_t last_epoch = 0;  // the highest that anybody spoke of
};

// The model and everything that the clock may have made of it since.
void with_time(const World& world, const Model& model, std::vector<Model>& all);

// What the model may be after the operation; nothing if the answer cannot be. An operation without
// an answer may have several outcomes.
void after(const World& world, const Model& model, const Operation& op, std::vector<Model>& all);

}  // namespace longshore::checker
