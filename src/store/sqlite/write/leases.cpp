#include "store/sqlite/write/leases.h"

#include <algorithm>
#include <functional>

#include "core/rules/lifecycle.h"

namespace longshore::sqlite {
namespace {

constexpr std::size_t stale_max = 1024;  // ends, beside as many as are held

}  // namespace

void Leases::enter(const Job& job) {
  const Held held{.ends = wakes_at(job, rules_).value_or(Instant::never()), .claim = job.claim};
  held_[job.id] = held;
  by_claim_.emplace(held.claim, job.id);
  ends_.emplace_back(held.ends, job.id);
  std::ranges::push_heap(ends_, std::greater());
  if (ends_.size() > 2 * held_.size() + stale_max) drop_stale_ends();
}

void Leases::leave(const JobId& id) {
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  const auto [begin, end] = by_claim_.equal_range(found->second.claim);
  const auto mine = std::find_if(begin, end, [&](const auto& pair) { return pair.second == id; });
  if (mine != end) by_claim_.erase(mine);
  held_.erase(found);
}

void Leases::clear() {
  held_.clear();
  ends_.clear();
  by_claim_.clear();
}

bool Leases::is_stale(const End& end) const {
  const auto found = held_.find(end.second);
  return found == held_.end() || found->second.ends != end.first;
}

void Leases::drop_first_end() {
  std::ranges::pop_heap(ends_, std::greater());
  ends_.pop_back();
}

void Leases::drop_stale_ends() {
  ends_.clear();
  for (const auto& [id, held] : held_) ends_.emplace_back(held.ends, id);
  std::ranges::make_heap(ends_, std::greater());
}

void Leases::put_back(const std::vector<End>& ends) {
  for (const End& end : ends) {
    ends_.push_back(end);
    std::ranges::push_heap(ends_, std::greater());
  }
}

// What is found stays held until a command ends that.
std::vector<JobId> Leases::ended(Instant from, Instant until, std::int64_t limit) {
  std::vector<End> seen;
  std::vector<JobId> ids;
  while (!ends_.empty() && ends_.front().first <= until && std::ssize(ids) < limit) {
    const End end = ends_.front();
    drop_first_end();
    const bool again = !seen.empty() && seen.back() == end;
    if (again || is_stale(end)) continue;
    seen.push_back(end);
    if (end.first >= from) ids.push_back(end.second);
  }
  put_back(seen);
  return ids;
}

std::optional<Instant> Leases::earliest(Instant from) {
  std::vector<End> before;
  while (!ends_.empty() && (ends_.front().first < from || is_stale(ends_.front()))) {
    if (!is_stale(ends_.front())) before.push_back(ends_.front());
    drop_first_end();
  }
  const auto first = ends_.empty() ? std::nullopt : std::optional(ends_.front().first);
  put_back(before);
  return first;
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
