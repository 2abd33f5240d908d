#include "store/sqlite/keys/recent_ids.h"

#include <algorithm>
#include <bit>

namespace longshore::sqlite {
namespace {

constexpr std::size_t places_per_id = 16;  // so that one new id in 16 at most seems to exist

}  // namespace

RecentIds::RecentIds(std::size_t kept_max)
    : kept_max_(kept_max), marks_(std::bit_ceil(kept_max * places_per_id / 64 + 1)) {}

void RecentIds::start(const JobId& highest) {
  floor_ = highest;
  if (ids_.empty()) return;
  ids_.clear();
  std::ranges::fill(marks_, 0);
}

void RecentIds::add(const JobId& id) {
  if (id <= floor_) return;
  ids_.push_back(id);
  mark(id);
  if (ids_.size() > kept_max_) forget_older_half();
}

void RecentIds::mark(const JobId& id) {
  const std::size_t place = place_of(id);
  marks_[place / 64] |= std::uint64_t{1} << (place % 64);
}

void RecentIds::forget_older_half() {
  const auto middle = ids_.begin() + std::ssize(ids_) / 2;
  std::ranges::nth_element(ids_, middle);
  floor_ = *middle;
  ids_.erase(ids_.begin(), middle + 1);
  std::ranges::fill(marks_, 0);
  for (const JobId& id : ids_) mark(id);
}

}  // namespace longshore::sqlite
