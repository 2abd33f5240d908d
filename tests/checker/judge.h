// Checks a history against the invariants of docs/invariants.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.h"
#include "longshore/rules.h"

namespace longshore::checker {

struct Options {
  Rules rules;              // those of the store
  bool fault_free = false;  // no faults: then no job may run twice unless requested
  // Every accepted job must have ended this long after the mark "heal", by the store's clock.
  std::optional<Duration> horizon;
  // After "heal": the longest delay of reaping a lost lease, and of queueing a due job.
  Duration reclaim_max = Duration::seconds(2);
  Duration due_max = Duration::seconds(2);
  // Counters that must not be 0, or the run proves nothing. See Judgement::counters.
  std::vector<std::string> required;
  // Rows took effect in the order of their times. False if commits are concurrent.
  bool exact_times = true;
  bool black_box = true;  // also check linearizability of each job
};

struct Violation {
  std::string rule;  // "S1", "L2", ... as in docs/invariants.md
  std::string what;  // one sentence
  std::optional<JobId> job;
  std::vector<std::string> events;  // what is known of that job, at most 20 lines
  std::optional<JobId> other;       // another job that has a part in it
  std::vector<std::string> events_of_other;
};

struct Judgement {
  std::map<std::string, std::int64_t> counters;
  std::vector<JobId> lost;            // acknowledged and missing
  std::vector<JobId> unexpected;      // present, but never requested
  std::vector<Violation> violations;  // at most violations_kept
  std::int64_t violation_count = 0;
  std::vector<std::string> vacuous;  // required counters that are 0

  bool valid() const { return violation_count == 0 && vacuous.empty(); }
};
inline constexpr std::size_t violations_kept = 100;

Judgement judge(const History& history, const Options& options);

// A readable report: the verdict, the counters, each violation with its events.
std::string to_text(const Judgement& judgement);

}  // namespace longshore::checker
