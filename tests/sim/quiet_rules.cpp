#include "sim/quiet_rules.h"

#include <algorithm>
#include <functional>

namespace longshore::sim {
namespace {

using checker::JobDump;

// The lease of a worker expired; not the timeout of a hand-off.
bool ran_out(const Transition& end) {
  const bool of_a_lease = end.from == State::running;
  return of_a_lease && (end.cause == Cause::lease_lost || end.cause == Cause::timeout);
}

// Calls `visit` with each row of a claim and the row after it.
void each_lease(
    const checker::History& history,
    const std::function<void(const JobDump&, const Transition&, const Transition&)>& visit) {
  for (const JobDump& dump : history.jobs) {
    if (dump.history_dropped > 0) continue;
    for (std::size_t i = 0; i + 1 < dump.history.size(); ++i) {
      if (dump.history[i].cause == Cause::claim) visit(dump, dump.history[i], dump.history[i + 1]);
    }
  }
}

}  // namespace

void check_quiet_leases(const checker::History& history, Instant from,
                        std::vector<std::string>& complaints) {
  each_lease(history, [&](const JobDump& dump, const Transition& claim, const Transition& end) {
    if (claim.at < from || !ran_out(end)) return;
    complaints.push_back("Q1: " + to_text(dump.job.id) + " was given to " + claim.worker +
                         " in quiet times, and its lease ran out");
  });
}

void check_taken_back(const checker::History& history, const Rules& rules,
                      const std::vector<std::pair<std::string, Instant>>& starts,
                      std::vector<std::string>& complaints) {
  if (rules.recover_on_start == Rules::RecoverOnStart::nothing) return;
  each_lease(history, [&](const JobDump& dump, const Transition& claim, const Transition& end) {
    if (!ran_out(end)) return;
    const bool restarted = std::ranges::any_of(starts, [&](const auto& start) {
      return claim.worker.starts_with(start.first + ".worker") && claim.at < start.second &&
             start.second < end.at;
    });
    if (!restarted) return;
    complaints.push_back("Q2: " + to_text(dump.job.id) + " was held by " + claim.worker +
                         " when its node started again, and had to wait for its lease to end");
  });
}

}  // namespace longshore::sim
