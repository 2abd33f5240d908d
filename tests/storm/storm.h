// A chaos test: producers, workers and sweepers of several nodes use one store over a network while
// faults hit its connections or its server. Clients record requests and answers and retry
// unanswered requests; the checker judges the history.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "checker/judge.h"
#include "longshore/error.h"
#include "longshore/store.h"
#include "longshore/time.h"

namespace longshore::storm {

struct StormOptions {
  // Opens the store for another node.
  std::function<Result<std::unique_ptr<Backend>>()> open;
  int nodes = 2;      // each opens its own store
  int producers = 2;  // per node
  int workers = 4;
  int faults = 20;
  std::uint64_t seed = 1;
  // Several commands per commit, three namespaces with operators, queues with limits, and node
  // restarts, until each was seen to have an effect. Otherwise single commands in one queue of one
  // namespace.
  bool wide = true;
  // The retention of one of the queues. Longer than a call may take; otherwise a repeated enqueue
  // would create the job again.
  Duration keep = Duration::seconds(60);
  // The store commits serially, so that the times of rows show their order.
  bool serial_commits = false;
  int rounds = 4000;  // how often to check whether all jobs have ended, before giving up
  // Injects one fault.
  std::function<void()> inject_fault;
  // Copies the store's data, and restores that copy. If both are given, they replace the first and
  // the third of every three faults.
  std::function<void()> copy = {};
  std::function<void()> set_back = {};
};

// With a retention of at most this, jobs are pruned before the storm ends.
inline constexpr Duration short_retention = Duration::seconds(5);

struct Storm {
  std::string problem;  // a problem other than a broken promise of the store; empty: none
  std::int64_t acknowledged = 0;
  std::int64_t unanswered = 0;  // failed calls with an unknown outcome
  std::int64_t jobs = 0;
  std::int64_t unended = 0;
  Duration longest_outage;  // from the end of a fault to the next answer
  checker::Judgement judgement;
};

Storm run_storm(const StormOptions& options);

// A one-line summary.
std::string to_text(const Storm& storm, const std::string& faults);
// Does not judge the duration, which depends on the machine's load.
bool survived(const Storm& storm);

}  // namespace longshore::storm
