#include "store/redis/whereabouts.h"

#include <algorithm>

#include "core/record/soundness.h"
#include "core/rules/lifecycle.h"
#include "store/redis/fields.h"

namespace longshore::redis {
namespace {

constexpr std::size_t id_length = 36;

bool may_expire(State state) {
  return state == State::created || state == State::scheduled || state == State::queued ||
         state == State::retry;
}

}  // namespace

ReadyPlace place_of(const Job& job) { return {job.priority, job.order, job.id}; }

std::string element_of(const ReadyPlace& place) {
  return to_text(place.job) + ":" + std::to_string(place.order);
}

std::optional<ReadyPlace> parse_element(std::string_view element, int priority) {
  if (element.size() < id_length + 2 || element[id_length] != ':') return std::nullopt;
  const auto id = parse_uuid(element.substr(0, id_length));
  const auto order = parse_integer(element.substr(id_length + 1));
  if (!id || !order) return std::nullopt;
  return ReadyPlace{priority, *order, *id};
}

Whereabouts whereabouts_of(const Job& job, const Rules& rules) {
  Whereabouts there{.exists = true, .counted = counted_as(job), .list = list_of(job)};
  const Places places = places_of(job);
  if (places.ready) there.ready = place_of(job);
  auto& [future, expiry, recorded, leases, prune] = there.times;
  if (places.future) future = std::min(job.run_at, job.expires_at.value_or(job.run_at));
  if (may_expire(job.state)) expiry = job.expires_at;
  if (job.state == State::created) recorded = job.created_at;
  if (places.leased) leases = wakes_at(job, rules).value_or(Instant::never());
  if (is_terminal(job.state)) prune = job.prune_after;
  if (job.state == State::running) there.claim = job.claim;
  there.dead = places.dead;
  there.live_key = places.live_key;
  return there;
}

std::string claim_member(const RequestId& claim, const JobId& job) {
  return to_hex(claim) + ":" + to_text(job);
}

}  // namespace longshore::redis
