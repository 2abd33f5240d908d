// Where a job stands besides its own HASH. All of it follows from the job; a commit writes the
// difference between where a job stood and where it stands.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "longshore/job.h"
#include "longshore/rules.h"
#include "store/redis/keys.h"

namespace longshore::redis {

struct ReadyPlace {
  int priority = 0;
  std::int64_t order = 0;
  JobId job;
  friend auto operator<=>(const ReadyPlace&, const ReadyPlace&) = default;
};
ReadyPlace place_of(const Job& job);
// What stands in the list: "id:order".
std::string element_of(const ReadyPlace& place);
std::optional<ReadyPlace> parse_element(std::string_view element, int priority);

// The sorted sets of jobs by a time.
enum class Table : std::uint8_t { future, expiry, recorded, leases, prune };
inline constexpr std::array<std::string_view, 5> table_names = {"future", "expiry", "recorded",
                                                                "leases", "prune"};
inline constexpr std::size_t table_count = table_names.size();

struct Whereabouts {
  bool exists = false;
  State counted = State::created;  // counted_as() of core/record/soundness.h
  ReadyList list;
  std::optional<ReadyPlace> ready;
  std::array<std::optional<Instant>, table_count> times;
  std::optional<RequestId> claim;  // of a running job
  bool dead = false;
  bool live_key = false;

  const std::optional<Instant>& time(Table table) const {
    return times[static_cast<std::size_t>(table)];
  }
};
Whereabouts whereabouts_of(const Job& job, const Rules& rules);

// Member of the index of claims.
std::string claim_member(const RequestId& claim, const JobId& job);

}  // namespace longshore::redis
