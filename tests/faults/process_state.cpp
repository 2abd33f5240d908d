#include "faults/process_state.h"

#include <sqlite3.h>

#include <algorithm>

namespace longshore::faults {

bool FileLocks::lock(const void* holder, int level) {
  int& mine = levels_[holder];
  if (mine >= level) return true;
  const int others = highest_of_others(holder);
  if (level == SQLITE_LOCK_SHARED && others >= SQLITE_LOCK_PENDING) return false;
  if (level > SQLITE_LOCK_SHARED && others >= SQLITE_LOCK_RESERVED) return false;
  if (level == SQLITE_LOCK_EXCLUSIVE && others >= SQLITE_LOCK_SHARED) {
    mine = SQLITE_LOCK_PENDING;
    return false;
  }
  mine = level;
  return true;
}

void FileLocks::unlock(const void* holder, int level) {
  const auto mine = levels_.find(holder);
  if (mine == levels_.end()) return;
  mine->second = std::min(mine->second, level);
  if (mine->second == SQLITE_LOCK_NONE) levels_.erase(mine);
}

bool FileLocks::reserved() const { return highest_of_others(nullptr) >= SQLITE_LOCK_RESERVED; }

int FileLocks::highest_of_others(const void* holder) const {
  int highest = SQLITE_LOCK_NONE;
  for (const auto& [other, level] : levels_) {
    if (other != holder) highest = std::max(highest, level);
  }
  return highest;
}

void* SharedMemory::map(const void* holder, std::size_t region, std::size_t bytes, bool create) {
  held_.try_emplace(holder);
  if (region >= regions_.size() && !create) return nullptr;
  while (region >= regions_.size()) regions_.push_back(std::make_unique<char[]>(bytes));
  return regions_[region].get();
}

bool SharedMemory::lock(const void* holder, unsigned mask, bool exclusive) {
  for (const auto& [other, held] : held_) {
    if (other == holder) continue;
    if ((held.exclusive & mask) != 0) return false;
    if (exclusive && (held.shared & mask) != 0) return false;
  }
  Held& mine = held_[holder];
  (exclusive ? mine.exclusive : mine.shared) |= mask;
  return true;
}

void SharedMemory::unlock(const void* holder, unsigned mask) {
  Held& mine = held_[holder];
  mine.shared &= ~mask;
  mine.exclusive &= ~mask;
}

void SharedMemory::leave(const void* holder) {
  held_.erase(holder);
  if (held_.empty()) regions_.clear();
}

}  // namespace longshore::faults
