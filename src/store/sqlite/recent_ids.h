// Which of the newest ids exist, known without asking the file: almost every enqueue brings an id
// that is newer than all others, and asking two tables about it would be its largest cost.
#pragma once

#include <cstddef>
#include <unordered_set>

#include "longshore/id.h"

namespace longshore::sqlite {

// Used by the writer alone.
//
// Invariant: an id above `floor_` that exists is in `ids_`.
class RecentIds {
 public:
  explicit RecentIds(std::size_t kept_max) : kept_max_(kept_max) {}

  // Nothing above `highest` exists; of what lies below nothing is known.
  void start(const JobId& highest);

  void add(const JobId& id);
  // True: there is certainly no job with this id.
  bool is_new(const JobId& id) const { return id > floor_ && !ids_.contains(id); }

 private:
  void forget_older_half();

  const std::size_t kept_max_;
  JobId floor_;
  std::unordered_set<JobId> ids_;
};

}  // namespace longshore::sqlite
