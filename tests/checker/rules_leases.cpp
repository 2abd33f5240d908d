// A job has one owner at a time, and only until its lease ends.
#include <algorithm>
#include <map>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

bool carries_token(Verb verb) {
  return verb == Verb::heartbeat || verb == Verb::complete || verb == Verb::fail ||
         verb == Verb::release || verb == Verb::hand_off;
}

// Two answers have the same epoch only if the claim was repeated.
void check_one_owner(Facts& facts, const JobFacts& job) {
  std::map<std::int64_t, const Operation*> owners;
  for (const Operation* op : job.ops) {
    if (op->call->verb != Verb::claim || !op->ok()) continue;
    for (const Grant& grant : op->answer->grants) {
      if (grant.job != job.id) continue;
      const auto [owner, is_first] = owners.try_emplace(grant.token.epoch, op);
      if (!is_first && owner->second->call->id != op->call->id) {
        facts.violate("S9", &job,
                      "two claims were given epoch " + std::to_string(grant.token.epoch) + ": " +
                          describe(*op));
      }
    }
  }
}

// After the answer to a claim, no older token is accepted.
void check_newest_token(Facts& facts, const JobFacts& job, const Operation& op) {
  for (const Operation* other : job.ops) {
    if (other->call->verb != Verb::claim || !other->ok() || other->returned >= op.invoked) continue;
    for (const Grant& grant : other->answer->grants) {
      if (grant.job == job.id && grant.token.epoch > op.call->token.epoch) {
        facts.violate("S10", &job, "a stale token was accepted: " + describe(op));
        return;
      }
    }
  }
}

const LeaseFacts* lease_of(const JobFacts& job, const LeaseToken& token) {
  for (const LeaseFacts& lease : job.leases) {
    if (lease.epoch == token.epoch) return &lease;
  }
  return nullptr;
}

// The latest time at which the store could still have accepted the owner's command.
std::optional<Instant> latest_end(const Facts& facts, const LeaseFacts& lease) {
  if (lease.grant == nullptr || lease.hand_off != nullptr) return std::nullopt;
  const bool sure = !lease.unsure && !facts.disturbed;
  return sure ? lease.acknowledged : lease.grant->deadline_at;
}

void check_heartbeat(Facts& facts, const JobFacts& job, const Operation& op) {
  const LeaseFacts* lease = lease_of(job, op.call->token);
  if (lease == nullptr) {
    return facts.violate("S10", &job, "a token that was never given was accepted: " + describe(op));
  }
  const bool other_claim = lease->grant != nullptr && lease->grant->token != op.call->token;
  const bool ended =
      lease->end != nullptr && (lease->end->before < op.invoked || lease->end->row->at < op.floor);
  const bool not_begun = lease->claim->row->at > op.ceiling;
  if (other_claim || ended || not_begun) {
    facts.violate("S10", &job, "a heartbeat outside its lease was accepted: " + describe(op));
  }
  const std::optional<Instant> end = latest_end(facts, *lease);
  if (end && !lease->unsure && op.floor >= *end) {
    facts.violate("S10", &job, "a heartbeat after the end of its lease: " + describe(op));
  }
}

bool by_holder(const LeaseFacts& lease) {
  const Transition& end = *lease.end->row;
  if (end.worker == "external" || end.worker == "system") return false;
  // With a claim by "system" a withdrawal looks like a failure.
  if (end.detail == "CANCELED") return false;
  return end.cause == Cause::complete || end.cause == Cause::fail ||
         (end.cause == Cause::release && !lease.end->internal);
}

void check_end(Facts& facts, const JobFacts& job, const LeaseFacts& lease) {
  const Transition& end = *lease.end->row;
  const bool taken = end.cause == Cause::lease_lost || end.cause == Cause::timeout;
  if (taken && end.from == State::running && end.at < lease.acknowledged) {
    facts.violate("S11", &job,
                  "a lease was taken before the end its holder was promised, " +
                      std::to_string(lease.acknowledged.count()) + ": " + describe(end));
  }
  if (taken && !lease.end->internal) return;
  if (end.cause == Cause::release && lease.end->internal) {
    const bool may = facts.options.rules.recover_on_start != Rules::RecoverOnStart::nothing;
    if (!may || !facts.disturbed) {
      facts.violate("S11", &job, "taken back though no node restarted: " + describe(end));
    }
  }
  const std::optional<Instant> latest = latest_end(facts, lease);
  if (latest && by_holder(lease) && end.from == State::running && end.at >= *latest) {
    facts.violate("S10", &job, "settled after the end of its lease: " + describe(end));
  }
}

}  // namespace

void check_leases(Facts& facts) {
  for (const JobFacts* job : facts.ordered) {
    check_one_owner(facts, *job);
    for (const Operation* op : job->ops) {
      if (!op->ok() || !carries_token(op->call->verb)) continue;
      check_newest_token(facts, *job, *op);
      if (op->call->verb == Verb::heartbeat && job->whole()) check_heartbeat(facts, *job, *op);
    }
    if (!job->whole()) continue;
    for (const LeaseFacts& lease : job->leases) {
      if (lease.end != nullptr) check_end(facts, *job, lease);
    }
  }
}

}  // namespace longshore::checker
