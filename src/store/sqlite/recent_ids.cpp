#include "store/sqlite/recent_ids.h"

#include <algorithm>
#include <vector>

namespace longshore::sqlite {

void RecentIds::start(const JobId& highest) {
  floor_ = highest;
  ids_.clear();
}

void RecentIds::add(const JobId& id) {
  if (id <= floor_) return;
  ids_.insert(id);
  if (ids_.size() > kept_max_) forget_older_half();
}

void RecentIds::forget_older_half() {
  std::vector<JobId> sorted(ids_.begin(), ids_.end());
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::ranges::nth_element(sorted, middle);
  floor_ = *middle;
  std::erase_if(ids_, [this](const JobId& id) { return id <= floor_; });
}

}  // namespace longshore::sqlite
