// After the faults have stopped every job ends in time. Also counts jobs that ran twice.
#include <algorithm>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

void check_ended(Facts& facts) {
  const Options& options = facts.options;
  if (!options.horizon || !facts.healed_at) return;
  if (facts.ended_at < *facts.healed_at + *options.horizon) {
    return facts.violate("L1", nullptr, "the run ended before its horizon");
  }
  for (const JobFacts* job : facts.ordered) {
    if (job->dump == nullptr) continue;
    if (!is_terminal(job->dump->job.state)) {
      facts.violate("L1", job,
                    "accepted, and never finished: " + to_text(job->id) + " is " +
                        std::string(to_text(job->dump->job.state)));
    }
  }
}

void check_reclaimed(Facts& facts, const JobFacts& job, const LeaseFacts& lease) {
  const Transition& end = *lease.end->row;
  if (end.cause != Cause::lease_lost || lease.grant == nullptr || lease.unsure) return;
  // Only leases without faults: an earlier one may have been extended at a restart.
  if (!facts.healed_at || lease.claim->row->at < *facts.healed_at) return;
  facts.count("reclaimed after heal");
  if (end.at > lease.acknowledged + facts.options.reclaim_max) {
    facts.violate("L2", &job, "a silent worker's job came back too late: " + describe(end));
  }
}

}  // namespace

void check_liveness(Facts& facts) {
  check_ended(facts);
  for (const JobFacts* job : facts.ordered) {
    if (!job->whole()) continue;
    for (const LeaseFacts& lease : job->leases) {
      if (lease.end != nullptr) check_reclaimed(facts, *job, lease);
    }
  }
}

namespace {

void count_rows(Facts& facts, const JobFacts& job) {
  for (std::size_t i = 0; i < job.rows.size(); ++i) {
    const Transition& row = *job.rows[i].row;
    if (row.cause == Cause::lease_lost) facts.count("leases lost");
    if (row.cause == Cause::timeout) facts.count("timeouts");
    if (row.cause == Cause::expired) facts.count("expired");
    if (row.cause == Cause::hand_off) facts.count("handed off");
    if (row.cause == Cause::replace) facts.count("replaced");
    if (row.cause == Cause::due) facts.count("due");
    if (row.worker == "external" && row.cause != Cause::claim) facts.count("finished by key");
    if (row.detail == "restart") facts.count("taken back at restart");
    const bool lost = row.cause == Cause::lease_lost || row.detail == "restart";
    const bool again = std::any_of(
        job.rows.begin() + static_cast<std::ptrdiff_t>(i), job.rows.end(),
        [](const Row& later) { return later.row->cause == Cause::claim && !later.internal; });
    if (!lost || !again) continue;
    facts.count("duplicated");
    if (facts.options.fault_free) {
      facts.violate("D1", &job, "ran twice though nothing was disturbed: " + describe(row));
    }
  }
}

bool settles(Verb verb) {
  return verb == Verb::complete || verb == Verb::fail || verb == Verb::release ||
         verb == Verb::hand_off;
}

}  // namespace

void count_executions(Facts& facts) {
  for (const Operation& op : facts.ops) {
    if (op.kind == Kind::info) facts.count("answers lost");
    const bool stale = op.kind == Kind::fail && op.answer->code == "LEASE_LOST";
    if (stale) facts.count("stale rejected");
    if (op.kind == Kind::fail && op.answer->code == "IDEMPOTENCY_MISMATCH") {
      facts.count("mismatches rejected");
    }
    if (op.call->verb == Verb::redrive && op.ok()) facts.count("redriven");
    if (op.call->verb == Verb::get && op.ok()) facts.count("reads");
  }
  for (const JobFacts* job : facts.ordered) {
    count_rows(facts, *job);
    int settled = 0;
    for (const Row& row : job->rows) {
      const auto same = std::ranges::count_if(
          row.by, [](const Operation* op) { return op->ok() && settles(op->call->verb); });
      settled += std::max(0, static_cast<int>(same) - 1);
    }
    if (settled > 0) facts.count("settlements replayed", settled);
  }
}

}  // namespace longshore::checker
