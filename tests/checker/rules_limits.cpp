// Limits are never exceeded, and a paused queue provides no jobs.
#include <algorithm>
#include <map>
#include <set>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

using Scope = std::pair<std::string_view, std::string_view>;  // namespace, and queue or type

struct Step {
  Instant at;
  int by;  // leaving sorts before entering: in one millisecond the order is not known
  const JobFacts* job;
  const LeaseFacts* lease;
};

struct Limited {
  std::set<Scope> queues;
  std::set<Scope> types;
};

// Every queue or type that a configuration has limited.
Limited limited(const Facts& facts) {
  Limited all;
  for (const Operation* op : facts.configures) {
    for (const RuleSet& rule : op->call->rules) {
      if (!rule.max_running) continue;
      if (rule.type.empty()) all.queues.insert({rule.ns, rule.queue});
      if (!rule.type.empty()) all.types.insert({rule.ns, rule.type});
    }
  }
  return all;
}

int limit_of(const Call& configure, const Scope& scope, bool of_type) {
  for (const RuleSet& rule : configure.rules) {
    if (Scope(rule.ns, of_type ? rule.type : rule.queue) != scope) continue;
    if (rule.type.empty() != of_type) return rule.max_running.value_or(INT32_MAX);
  }
  return INT32_MAX;
}

// If several configurations may apply, the loosest limit counts.
int limit_at(const Facts& facts, const Scope& scope, bool of_type, Instant at) {
  int widest = 0;
  for (const Operation* op : facts.in_force(at)) {
    widest = std::max(widest, limit_of(*op->call, scope, of_type));
  }
  return widest;
}

// The row that ended what counts as running; null if nothing did.
const Row* end_of(const LeaseFacts& lease) {
  return lease.hand_off != nullptr ? lease.hand_off : lease.end;
}

// The same if rows are not in the order of their effects: by what clients saw. A job certainly ran
// from the answer to its claim until a client asked for its end.
bool is_certain(const Facts& facts, const Scope& scope, bool of_type, const Step& entered,
                const std::vector<Step>& steps) {
  const Row& claim = *entered.lease->claim;
  int widest = 0;
  for (const Operation* op : facts.configures) {
    const bool replaced = std::ranges::any_of(facts.configures, [&](const Operation* later) {
      return later->ok() && later->invoked > op->returned && later->returned < claim.after;
    });
    if (op->invoked > claim.before || replaced) continue;
    widest = std::max(widest, limit_of(*op->call, scope, of_type));
  }
  const auto others = std::ranges::count_if(steps, [&](const Step& step) {
    if (step.by < 0 || step.lease == entered.lease) return false;
    const Row* end = end_of(*step.lease);
    return step.lease->claim->before < claim.after && (!end || end->after > claim.before);
  });
  return others + 1 > widest;
}

// A lowered limit stops no running job, and lets no other start.
void sweep(Facts& facts, const Scope& scope, bool of_type, std::vector<Step>& steps) {
  std::ranges::sort(steps, {}, [](const Step& step) { return std::pair(step.at, step.by); });
  const std::string_view name = scope.second;
  int running = 0;
  for (const Step& step : steps) {
    running += step.by;
    if (step.by < 0 || running <= 1) continue;
    const int limit = limit_at(facts, scope, of_type, step.at);
    if (running <= limit) continue;
    const bool exact = facts.options.exact_times;
    if (!exact && !is_certain(facts, scope, of_type, step, steps)) continue;
    facts.violate("S23", step.job,
                  std::to_string(running) + " jobs of " + std::string(name) +
                      " ran at once, the limit is " + std::to_string(limit));
    return;
  }
}

void add_steps(const JobFacts& job, std::vector<Step>& steps) {
  for (const LeaseFacts& lease : job.leases) {
    if (lease.claim->internal) continue;
    const Row* end = end_of(lease);
    const Instant ended = end != nullptr ? end->row->at : Instant::never();
    // A job that started and ended within a millisecond is not counted.
    if (ended == lease.claim->row->at) continue;
    steps.push_back({lease.claim->row->at, 1, &job, &lease});
    steps.push_back({ended, -1, &job, &lease});
  }
}

// The record of a job that was reopened in another queue only has the newest queue.
bool changed_queue(const Facts& facts, const JobFacts& job) {
  if (facts.options.rules.terminal != Rules::Terminal::reopen) return false;
  return std::ranges::any_of(job.ops, [](const Operation* op) {
    return op->call->verb == Verb::redrive && op->maybe() && !op->call->queues.empty();
  });
}

void check_running(Facts& facts) {
  const Limited limits = limited(facts);
  if (limits.queues.empty() && limits.types.empty()) return;
  std::map<Scope, std::vector<Step>> by_queue, by_type;
  for (const JobFacts* job : facts.ordered) {
    if (!job->whole()) continue;
    const Job& held = job->dump->job;
    if (limits.queues.contains({held.ns, held.queue}) && !changed_queue(facts, *job)) {
      add_steps(*job, by_queue[{held.ns, held.queue}]);
    }
    if (limits.types.contains({held.ns, held.type})) {
      add_steps(*job, by_type[{held.ns, held.type}]);
    }
  }
  for (auto& [scope, steps] : by_queue) sweep(facts, scope, false, steps);
  for (auto& [scope, steps] : by_type) sweep(facts, scope, true, steps);
}

void check_claim_sizes(Facts& facts) {
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::claim || !op.ok()) continue;
    const auto given = static_cast<std::int64_t>(op.answer->grants.size());
    facts.count("grants", given);
    if (given > op.call->limit) {
      facts.violate("S23", nullptr, "a claim was given more than it asked for: " + describe(op));
    }
  }
}

// True if the queue may have been resumed between the pause and the claim.
bool may_be_resumed(const std::vector<const Operation*>& all, const Operation& pause,
                    const Row& claim) {
  return std::ranges::any_of(all, [&](const Operation* op) {
    return !op->call->paused && op->returned > pause.invoked && op->invoked < claim.before;
  });
}

void check_pauses(Facts& facts) {
  std::map<Scope, std::vector<const Operation*>> pauses;
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::pause || !op.maybe() || op.call->queues.empty()) continue;
    pauses[{op.call->ns, op.call->queues.front()}].push_back(&op);
  }
  if (pauses.empty()) return;
  for (const JobFacts* job : facts.ordered) {
    if (!job->whole() || changed_queue(facts, *job)) continue;
    const auto found = pauses.find({job->dump->job.ns, job->dump->job.queue});
    if (found == pauses.end()) continue;
    for (const LeaseFacts& lease : job->leases) {
      if (lease.claim->internal) continue;
      for (const Operation* pause : found->second) {
        const bool after =
            pause->call->paused && pause->ok() && pause->returned < lease.claim->after;
        if (after && !may_be_resumed(found->second, *pause, *lease.claim)) {
          facts.violate("S23", job, "claimed from a paused queue: " + describe(*lease.claim->row));
        }
      }
    }
  }
}

}  // namespace

void check_limits(Facts& facts) {
  check_claim_sizes(facts);
  check_running(facts);
  check_pauses(facts);
}

}  // namespace longshore::checker
