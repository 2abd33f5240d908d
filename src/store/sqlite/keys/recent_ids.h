// Which of the newest ids exist, known without asking the file: almost every enqueue brings an id
// that is newer than all others, and asking two tables about it would be its largest cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "longshore/id.h"

namespace longshore::sqlite {

// Used by the writer alone.
//
// Invariant: an id above `floor_` that exists is in `ids_`, and its mark is set. A mark that is set
// may be another id's, so what is marked is not known.
class RecentIds {
 public:
  explicit RecentIds(std::size_t kept_max);

  // Nothing above `highest` exists; of what lies below nothing is known.
  void start(const JobId& highest);

  void add(const JobId& id);
  // True: there is certainly no job with this id.
  bool is_new(const JobId& id) const { return id > floor_ && !is_marked(id); }

 private:
  // One bit for each of many places; the low half of an id is random.
  std::size_t place_of(const JobId& id) const {
    const std::uint64_t mixed = (id.low ^ id.high) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> 32U) % (marks_.size() * 64);
  }
  bool is_marked(const JobId& id) const {
    const std::size_t place = place_of(id);
    return ((marks_[place / 64] >> (place % 64)) & 1U) != 0;
  }
  void mark(const JobId& id);
  void forget_older_half();

  const std::size_t kept_max_;
  JobId floor_;
  std::vector<JobId> ids_;
  std::vector<std::uint64_t> marks_;
};

}  // namespace longshore::sqlite
