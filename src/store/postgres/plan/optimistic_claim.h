// Claims that are served outright. What a claim makes of a plain job, one that was enqueued with no
// more than a type and a payload and has never run, is the same for every such job. So it is judged
// beforehand, on a job like that, and the statement that finds the ready jobs starts them too. It
// proves that each of them is such a job; if one is not, the transaction starts over and looks
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "longshore/command.h"
#include "longshore/rules.h"
#include "store/postgres/connection/connection.h"
#include "store/postgres/plan/single_statement.h"
#include "store/postgres/write/config.h"

namespace longshore::postgres {

// The claims of one transaction. They ask for the same jobs, for equally long.
class OptimisticClaim {
 public:
  // How many jobs one statement starts.
  static constexpr std::int64_t jobs_max = 1000;

  // Whether a claim can be served by a statement that knows one queue, no limits and no pauses.
  static bool fits(const Claim& claim, const Config& config);
  // Whether one statement can serve both, where the first fits.
  static bool are_alike(const Claim& first, const Claim& other);

  // REQUIRES: all are alike, ask for no more than jobs_max, and outlive this.
  void add(const Claim& claim) { claims_.push_back(&claim); }
  bool empty() const { return claims_.empty(); }
  // The first one.
  const Claim& like() const { return *claims_.front(); }
  // Lines the statement up, for these claims in this order; `slot` is where counts are added, and
  // `single` that of a batch that is this one statement. Fails with StickyError::Kind::again unless
  // all jobs were plain, fit into their claims, and no claim held any already. Else one row for
  // each job that was started, or a single one of NULLs: a number, then the job's place in live,
  // its id, what read_plain() reads of it, and its body. Where the answer will be; none if the
  // rules let no plain job start.
  std::optional<std::size_t> enqueue_statement(Connection& connection, const Rules& rules,
                                               const Policy& usual, Instant now, int slot,
                                               const SingleStatement* single = nullptr);
  // Whether the answer tells of a job.
  static bool has_started(const RowSet& answer) {
    return answer.count() > 0 && !answer.is_null_at(0, 1);
  }
  // Of the jobs, as they were.
  std::int64_t version_before() const { return version_before_; }

 private:
  std::vector<const Claim*> claims_;
  std::int64_t version_before_ = 0;
};

}  // namespace longshore::postgres
