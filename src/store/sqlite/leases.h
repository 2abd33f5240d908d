// Who holds what, in memory: every running or waiting job by the time at which the clock ends its
// holding, and by the claim that gave it out.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore::sqlite {

// Used by the writer alone.
class Leases {
 public:
  explicit Leases(const Rules& rules) : rules_(rules) {}

  // REQUIRES: the job is running or waiting.
  void enter(const Job& job);
  void leave(const JobId& id);
  void clear();

  // At most `limit` jobs whose holding has ended, the earliest first.
  std::vector<JobId> ended(Instant now, std::int64_t limit) const;
  std::optional<Instant> earliest() const;
  std::vector<JobId> of_claim(const RequestId& claim) const;
  std::vector<JobId> all() const;  // in the order of ids

 private:
  struct Held {
    Instant ends;
    RequestId claim;
  };

  const Rules& rules_;
  std::unordered_map<JobId, Held> held_;
  std::set<std::pair<Instant, JobId>> by_end_;
  std::unordered_multimap<RequestId, JobId> by_claim_;
};

}  // namespace longshore::sqlite
