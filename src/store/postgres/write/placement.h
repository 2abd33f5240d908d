// Where a job stands in the tables besides its own row. All of it follows from the job; a commit
// writes the difference between where a job stood and where it stands.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore::postgres {

// The table that holds a job's row.
enum class Home : std::uint8_t { none, live, done };
Home home_of(State state);

// A queue or a type within its namespace.
struct Scoped {
  std::string ns;
  std::string name;
  friend auto operator<=>(const Scoped&, const Scoped&) = default;
};

struct ReadyPlace {
  int priority = 0;
  std::int64_t order = 0;
  JobId job;
  friend auto operator<=>(const ReadyPlace&, const ReadyPlace&) = default;
};
ReadyPlace place_of(const Job& job);

struct HeldPlace {
  Instant wakes_at;
  RequestId claim;
  bool running = false;
  friend bool operator==(const HeldPlace&, const HeldPlace&) = default;
};

enum class TimerKind : std::uint8_t { due, expiry, accept };
inline constexpr int timer_kinds = 3;

struct Placement {
  Home home = Home::none;
  State counted = State::created;  // counted_as() of core/record/soundness.h
  std::optional<ReadyPlace> ready;
  std::optional<HeldPlace> held;
  std::array<std::optional<Instant>, timer_kinds> timers;
};
Placement placement_of(const Job& job, const Rules& rules);

}  // namespace longshore::postgres
