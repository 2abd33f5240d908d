// Who holds what, in memory: every running or waiting job by the time at which the clock ends its
// holding, and by the claim that gave it out.
#pragma once

#include <optional>
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

  // At most `limit` jobs whose holding ended within [from, until], the earliest first.
  std::vector<JobId> ended(Instant from, Instant until, std::int64_t limit);
  // The earliest end that is `from` or later.
  std::optional<Instant> earliest(Instant from);
  std::vector<JobId> of_claim(const RequestId& claim) const;
  std::vector<JobId> all() const;  // in the order of ids

 private:
  struct Held {
    Instant ends;
    RequestId claim;
  };
  using End = std::pair<Instant, JobId>;

  bool is_stale(const End& end) const;
  void put_back(const std::vector<End>& ends);
  void drop_first_end();
  void drop_stale_ends();

  const Rules& rules_;
  std::unordered_map<JobId, Held> held_;
  // A heap, the earliest on top. Ends of holdings that are over, or were prolonged, stay in it
  // until they come up: most leases are settled long before.
  std::vector<End> ends_;
  std::unordered_multimap<RequestId, JobId> by_claim_;
};

}  // namespace longshore::sqlite
