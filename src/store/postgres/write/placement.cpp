#include "store/postgres/write/placement.h"

#include <algorithm>

#include "core/record/soundness.h"
#include "core/rules/lifecycle.h"

namespace longshore::postgres {
namespace {

bool may_expire(State state) {
  return state == State::created || state == State::scheduled || state == State::queued ||
         state == State::retry;
}

}  // namespace

Home home_of(State state) { return is_terminal(state) ? Home::done : Home::live; }

ReadyPlace place_of(const Job& job) { return {job.priority, job.order, job.id}; }

Placement placement_of(const Job& job, const Rules& rules) {
  Placement standing{.home = home_of(job.state), .counted = counted_as(job)};
  const Places places = places_of(job);
  if (places.ready) standing.ready = place_of(job);
  if (places.leased) {
    standing.held = HeldPlace{.wakes_at = wakes_at(job, rules).value_or(Instant::never()),
                              .claim = job.claim,
                              .running = job.state == State::running};
  }
  auto& [due, expiry, accept] = standing.timers;
  if (places.future) due = std::min(job.run_at, job.expires_at.value_or(job.run_at));
  if (may_expire(job.state)) expiry = job.expires_at;
  if (job.state == State::created) accept = job.created_at;
  return standing;
}

}  // namespace longshore::postgres
