#include "api/admission/lockout.h"

#include <algorithm>

namespace longshore {

std::optional<Duration> Lockout::locked_for(const std::string& peer, Instant now) {
  MutexLock lock(mutex_);
  const auto found = records_.find(peer);
  if (found == records_.end()) return std::nullopt;
  const Record& record = found->second;
  if (record.locked_until && *record.locked_until > now) return *record.locked_until - now;
  if (is_over(record, now)) records_.erase(found);
  return std::nullopt;
}

void Lockout::failed(const std::string& peer, Instant now) {
  MutexLock lock(mutex_);
  if (!records_.contains(peer)) make_room(now);
  Record& record = records_.try_emplace(peer, Record{.began = now}).first->second;
  if (is_over(record, now)) record = Record{.began = now};
  record.failures += 1;
  if (record.failures >= limits_.failures) record.locked_until = now + limits_.locked;
}

std::size_t Lockout::remembered() const {
  MutexLock lock(mutex_);
  return records_.size();
}

bool Lockout::is_over(const Record& record, Instant now) const {
  if (record.locked_until) return *record.locked_until <= now;
  return record.began + limits_.span <= now;
}

// Removes expired records, and if that is not enough the one with the fewest failures: a flood of
// addresses must not free the worst offender.
void Lockout::make_room(Instant now) {
  mutex_.assert_held();
  if (records_.size() < limits_.peers_remembered) return;
  std::erase_if(records_, [&](const auto& entry) { return is_over(entry.second, now); });
  if (records_.size() < limits_.peers_remembered) return;
  records_.erase(std::ranges::min_element(records_, {},
                                          [](const auto& entry) { return entry.second.failures; }));
}

}  // namespace longshore
