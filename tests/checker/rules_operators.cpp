// Changes by operators are in the audit trail exactly once; retention deletes only what it may.
#include <algorithm>
#include <map>

#include "checker/facts.h"
#include "core/policy/policy.h"

namespace longshore::checker {
namespace {

bool matches(Verb verb, std::string_view action) {
  switch (verb) {
    case Verb::cancel:
      return action == "cancel" || action == "forceCancel";
    case Verb::promote:
      return action == "promote";
    case Verb::resolve:
      return action == "resolve";
    case Verb::redrive:
      return action == "redrive";
    case Verb::pause:
      return action == "pause" || action == "resume";
    case Verb::set_rules:
      return action == "setRules";
    case Verb::put_token:
      return action == "createToken";
    case Verb::revoke_token:
      return action == "revokeToken";
    default:
      return false;
  }
}

using Trail = std::map<std::pair<std::string_view, std::string_view>, int>;  // action, target

// Each entry belongs to an operation that may have been applied.
Trail check_entries(Facts& facts) {
  Trail trail;
  std::multimap<std::string_view, const Operation*> asked;
  for (const Operation& op : facts.ops) {
    if (op.call->actor) asked.emplace(*op.call->actor, &op);
  }
  // Tokens are also created outside the history.
  const bool tokens = std::ranges::any_of(
      facts.ops, [](const Operation& op) { return op.call->verb == Verb::put_token; });
  std::map<std::pair<std::string_view, std::string_view>, std::ptrdiff_t> seen;
  for (const AuditEntry& entry : facts.history.audit) {
    const bool of_token = entry.action == "createToken" || entry.action == "revokeToken";
    if (of_token && !tokens) continue;
    trail[{entry.action, entry.target}] += 1;
    const auto [begin, end] = asked.equal_range(entry.actor.request_id);
    // A repeat may have another effect if jobs are reopened in place.
    const auto sendings = std::count_if(begin, end, [&](const auto& one) {
      return one.second->maybe() && matches(one.second->call->verb, entry.action);
    });
    const std::string text =
        entry.action + " of " + entry.target + " (" + entry.actor.request_id + ")";
    if (sendings == 0) {
      facts.violate("S25", nullptr, "nobody asked for what the audit trail says: " + text);
    } else if (++seen[{entry.actor.request_id, entry.target}] > sendings) {
      facts.violate("S25", nullptr, "one request was audited twice: " + text);
    }
  }
  return trail;
}

int rows_of(const JobFacts& job, Verb verb) {
  return static_cast<int>(std::ranges::count_if(job.rows, [&](const Row& row) {
    if (verb == Verb::promote) return row.row->cause == Cause::promote && !row.internal;
    const bool settled = row.row->cause == Cause::complete || row.row->cause == Cause::fail;
    return settled && row.row->worker == "system" && row.row->detail != "CANCELED" &&
           row.row->detail != "EXPIRED";
  }));
}

// True if only operators can have withdrawn the job.
bool canceled_by_operator(const JobFacts& job) {
  const bool canceled =
      std::ranges::any_of(job.rows, [](const Row& row) { return row.row->cause == Cause::cancel; });
  const auto by_others = [](const Operation* op) {
    const bool cancel = op->call->verb == Verb::cancel && !op->call->actor;
    return op->maybe() && (cancel || op->call->code == "CANCELED");
  };
  return canceled && std::ranges::none_of(job.ops, by_others);
}

void check_job(Facts& facts, const JobFacts& job, const Trail& trail) {
  const std::string id = to_text(job.id);
  const auto entries = [&](std::string_view action) {
    const auto found = trail.find({action, id});
    return found == trail.end() ? 0 : found->second;
  };
  const auto demand = [&](std::string_view action, int wanted) {
    if (entries(action) >= wanted) return;
    facts.violate("S25", &job, std::string(action) + " happened and was not audited");
  };
  demand("promote", rows_of(job, Verb::promote));
  demand("resolve", rows_of(job, Verb::resolve));
  demand("redrive", job.dump->job.successor_id ? 1 : 0);
  if (canceled_by_operator(job) && entries("cancel") + entries("forceCancel") == 0) {
    facts.violate("S25", &job, "an operator's cancel was not audited");
  }
}

}  // namespace

void check_operators(Facts& facts) {
  if (!facts.history.dumped_at) return;
  const Trail trail = check_entries(facts);
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::put_token || !op.ok()) continue;
    if (trail.contains({"createToken", op.call->key})) continue;
    facts.violate("S25", nullptr, "a token was made and not audited: " + op.call->key);
  }
  for (const JobFacts* job : facts.ordered) {
    if (job->whole()) check_job(facts, *job, trail);
  }
}

// ---- Retention --------------------------------------------------------------------------------

namespace {

struct Owner {
  std::string_view ns;
  std::string_view queue;
  std::string_view type;
};

struct Keeps {
  const RuleSet* queue = nullptr;
  const RuleSet* type = nullptr;
};

// One for each configuration; one without rules if there was none.
std::vector<Keeps> find_keeps(const std::vector<const Operation*>& configures, const Owner& owner) {
  std::vector<Keeps> all;
  for (const Operation* op : configures) {
    Keeps& keeps = all.emplace_back();
    for (const RuleSet& rule : op->call->rules) {
      if (rule.ns != owner.ns) continue;
      if (!rule.queue.empty() && rule.queue == owner.queue) keeps.queue = &rule;
      if (!rule.type.empty() && rule.type == owner.type) keeps.type = &rule;
    }
  }
  if (all.empty()) all.emplace_back();
  return all;
}

template <class Rule>
Rule as_rule(const RuleSet& set) {
  Rule rule;
  rule.keep_success = set.keep_success;
  rule.keep_canceled = set.keep_canceled;
  rule.keep_dead = set.keep_dead;
  return rule;
}

std::optional<Instant> prune_after(const Facts& facts, const Keeps& keeps, Status status,
                                   Instant ended) {
  const QueueRule queue = keeps.queue != nullptr ? as_rule<QueueRule>(*keeps.queue) : QueueRule();
  const TypeRule type = keeps.type != nullptr ? as_rule<TypeRule>(*keeps.type) : TypeRule();
  return resolve_prune_after(status, ended, &type, &queue, facts.options.rules.retention);
}

State terminal_state(Status status) {
  if (status == Status::completed) return State::success;
  return status == Status::failed ? State::dead : State::canceled;
}

// Whether operations of clients, or the clock, can have led to this end. A dead job needs no
// operation to end it, but a worker to start it.
bool can_have_ended(const JobFacts& job, const Asked& asked, State state) {
  if (state == State::dead) return true;
  if (state == State::canceled && asked.expires_at) return true;
  const auto expires = [](const Asked& one) { return one.expires_at.has_value(); };
  return std::ranges::any_of(job.ops, [&](const Operation* op) {
    if (!op->maybe()) return false;
    const Verb verb = op->call->verb;
    if (state == State::canceled) {
      return verb == Verb::cancel || op->call->code == "CANCELED" ||
             std::ranges::any_of(op->call->jobs, expires);
    }
    const bool settles =
        verb == Verb::complete || verb == Verb::finish_by_key || verb == Verb::resolve;
    return settles && op->call->hash.has_value();
  });
}

// A replace may have moved it to a queue with another retention.
bool may_have_moved(const JobFacts& job, const Asked& asked) {
  return std::ranges::any_of(job.ops, [&](const Operation* op) {
    return op->maybe() && op->call->verb == Verb::enqueue &&
           std::ranges::any_of(op->call->jobs,
                               [&](const Asked& one) { return one.queue != asked.queue; });
  });
}

}  // namespace

namespace {

// What is known of a deleted job: when it was last seen alive before `before`, and how it ended, if
// known.
struct LastSeen {
  Instant alive = Instant::millis(0);
  std::optional<State> ended;
};

LastSeen last_seen(const Facts& facts, const JobFacts& job, std::int64_t before) {
  const bool fixed = facts.options.rules.terminal == Rules::Terminal::fixed;
  LastSeen seen;
  for (const Operation* op : job.ops) {
    if (!op->ok() || op->call->verb == Verb::redrive || op->returned > before) continue;
    if (op->call->verb == Verb::claim) seen.alive = std::max(seen.alive, op->floor);
    if (op->answer->job != job.id || !op->answer->status) continue;
    const bool over =
        *op->answer->status != Status::pending && *op->answer->status != Status::running;
    if (over && fixed) seen.ended = terminal_state(*op->answer->status);
    // A repeated settlement is answered as it was then, so a status that is not final says only
    // that the job lived when the operation was first sent.
  }
  return seen;
}

// Whether any configured retention can have deleted it by then.
bool may_be_pruned_by(Facts& facts, const JobFacts& job, Instant by, std::int64_t before) {
  // A redriven job is kept like the one it repeats, unless it was put into another queue.
  const JobFacts* origin = facts.origin_of(job);
  if (origin == nullptr) return false;
  const Asked& asked = *origin->asked;
  if (may_have_moved(job, asked) || (origin != &job && !job.redriven_by->call->queues.empty()))
    return true;
  const LastSeen seen = last_seen(facts, job, before);
  for (const Keeps& keeps : find_keeps(facts.configures, {origin->ns, asked.queue, asked.type})) {
    for (State state : {State::success, State::canceled, State::dead}) {
      if ((seen.ended && *seen.ended != state) || !can_have_ended(job, asked, state)) continue;
      const std::optional<Instant> gone = prune_after(facts, keeps, status_of(state), seen.alive);
      if (gone && *gone <= by) return true;
    }
  }
  return false;
}

// The answer shows that the job exists.
bool shows(const Operation& op, const JobId& id) {
  if (op.answer->view || op.answer->job == id) return true;
  const auto named = [&](const auto& one) { return one == id; };
  return std::ranges::any_of(op.answer->jobs, named, &EnqueuedJob::id) ||
         std::ranges::any_of(op.answer->grants, named, &Grant::job);
}

// A read that did not find a job within its retention.
void check_not_early(Facts& facts, const JobFacts& job) {
  for (const Operation* op : job.ops) {
    const bool missed = op->call->verb == Verb::get && op->kind == Kind::fail &&
                        op->answer->code == "NOT_FOUND" && op->answer->at;
    if (!missed || op->call->ns != job.ns) continue;
    const bool there = std::ranges::any_of(job.ops, [&](const Operation* one) {
      return one->ok() && one->returned < op->invoked && shows(*one, job.id);
    });
    if (!there || may_be_pruned_by(facts, job, *op->answer->at, op->invoked)) continue;
    return facts.violate("S26", &job, "gone before its retention had passed: " + describe(*op));
  }
}

}  // namespace

bool may_be_pruned(Facts& facts, const JobFacts& job) {
  return job.dump == nullptr && may_be_pruned_by(facts, job, facts.ended_at, seq_never);
}

void check_retention(Facts& facts) {
  for (const JobFacts* job : facts.ordered) {
    if (job->dump == nullptr) {
      check_not_early(facts, *job);
      if (job->acknowledged && may_be_pruned(facts, *job)) facts.count("pruned");
      continue;
    }
    const Job& held = job->dump->job;
    if (!is_terminal(held.state)) {
      if (held.prune_after) facts.violate("S26", job, "a living job is marked for pruning");
      continue;
    }
    if (!held.completed_at) continue;
    const auto keeps =
        find_keeps(facts.in_force(*held.completed_at), {held.ns, held.queue, held.type});
    const bool as_told = std::ranges::any_of(keeps, [&](const Keeps& one) {
      return held.prune_after == prune_after(facts, one, status_of(held), *held.completed_at);
    });
    if (!as_told) facts.violate("S26", job, "kept for another time than its rules say");
  }
}

}  // namespace longshore::checker
