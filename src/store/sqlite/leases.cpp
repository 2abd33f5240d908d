#include "store/sqlite/leases.h"

#include <algorithm>

#include "core/lifecycle.h"

namespace longshore::sqlite {

void Leases::enter(const Job& job) {
  const Held held{.ends = wakes_at(job, rules_).value_or(Instant::never()), .claim = job.claim};
  held_[job.id] = held;
  by_end_.emplace(held.ends, job.id);
  by_claim_.emplace(held.claim, job.id);
}

void Leases::leave(const JobId& id) {
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  by_end_.erase({found->second.ends, id});
  const auto [begin, end] = by_claim_.equal_range(found->second.claim);
  const auto mine = std::find_if(begin, end, [&](const auto& pair) { return pair.second == id; });
  if (mine != end) by_claim_.erase(mine);
  held_.erase(found);
}

void Leases::clear() {
  held_.clear();
  by_end_.clear();
  by_claim_.clear();
}

std::vector<JobId> Leases::ended(Instant now, std::int64_t limit) const {
  std::vector<JobId> ids;
  for (const auto& [ends, id] : by_end_) {
    if (ends > now || std::ssize(ids) >= limit) break;
    ids.push_back(id);
  }
  return ids;
}

std::optional<Instant> Leases::earliest() const {
  if (by_end_.empty()) return std::nullopt;
  return by_end_.begin()->first;
}

std::vector<JobId> Leases::of_claim(const RequestId& claim) const {
  std::vector<JobId> ids;
  const auto [begin, end] = by_claim_.equal_range(claim);
  for (auto it = begin; it != end; ++it) ids.push_back(it->second);
  return ids;
}

std::vector<JobId> Leases::all() const {
  std::vector<JobId> ids;
  ids.reserve(held_.size());
  for (const auto& [id, held] : held_) ids.push_back(id);
  std::ranges::sort(ids);
  return ids;
}

}  // namespace longshore::sqlite
