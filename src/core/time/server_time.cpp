#include "core/time/server_time.h"

#include <algorithm>

namespace longshore {
namespace {

constexpr std::int64_t valid_for_micros = 1'000'000;
// Clocks drift by less than one part in this.
constexpr std::int64_t drift = 1000;

}  // namespace

// A slow answer is imprecise, so the best recent one is kept, unless it is impossible by now: then
// the server's clock was set.
void ServerTime::heard(const std::string& server, std::int64_t micros, std::int64_t asked_at,
                       std::int64_t steady) {
  MutexLock lock(mutex_);
  const auto [place, is_new] = known_.try_emplace(server);
  Known& known = place->second;
  const std::int64_t passed = std::max<std::int64_t>(steady - known.heard_at, 0);
  const std::int64_t before = known.ahead + passed / drift;
  const std::int64_t at_most = micros - asked_at;
  const std::int64_t at_least = micros - steady;
  const bool replaces = is_new || passed > valid_for_micros || at_least > before;
  known.ahead = replaces ? at_most : std::min(at_most, before);
  known.heard_at = std::max(known.heard_at, steady);
}

std::optional<std::int64_t> ServerTime::now(const std::string& server, std::int64_t steady) {
  MutexLock lock(mutex_);
  const auto known = known_.find(server);
  if (known == known_.end()) return std::nullopt;
  const auto& [ahead, heard_at] = known->second;
  const std::int64_t passed = steady - heard_at;
  if (passed > valid_for_micros) return std::nullopt;
  return steady + ahead + passed / drift;
}

void ServerTime::forget(const std::string& server) {
  MutexLock lock(mutex_);
  known_.erase(server);
}

}  // namespace longshore
