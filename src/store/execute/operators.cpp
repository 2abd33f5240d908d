// What operators do to jobs, queues and tokens. Whatever changes something is written to the audit
// trail in the same step.
#include <utility>

#include "store/execute/apply_decision.h"

namespace longshore::execute {
namespace {

// Whoever repeats a call for want of an answer does so by then.
constexpr Duration resent_within = Duration::minutes(1);

template <class Said>
Verdict said_by_operator(Transaction& tx, const Said& said, const std::string& action,
                         const std::optional<Actor>& actor) {
  Executed judged = decide_and_apply(tx, find(tx, said.ns, said.job), said);
  if (judged.changed && actor) tx.record_audit(*actor, said.ns, action, to_text(said.job));
  return std::move(judged.verdict);
}

// The successor of a job that was redriven before, as it stands now.
Verdict redriven_before(Transaction& tx, const Replay& replay) {
  Settled settled = std::get<Settled>(replay.verdict);
  if (const Entry* successor = tx.find(settled.job)) {
    settled.status = status_of(successor->job());
  }
  return settled;
}

// The live job of another id that has the job's key.
const Entry* holder_of_key(Transaction& tx, const Job& job) {
  if (job.job_key.empty() || !is_terminal(job.state)) return nullptr;
  return tx.find_holder({job.ns, job.type, job.job_key}, job.id);
}

// Under Rules::Terminal::reopen: the same job, again.
std::optional<Refusal> reopen(Transaction& tx, Entry& entry, const Redrive& redrive,
                              const Entry* holder, Change change) {
  if (holder != nullptr) {
    return Refusal{.code = Code::key_in_use,
                   .detail = "a live job of this type already has this jobKey",
                   .job = holder->job().id};
  }
  if (redrive.payload) {
    change.body = tx.body(entry);
    change.body->payload = *redrive.payload;
  }
  apply(tx, std::move(change));
  return std::nullopt;
}

// Under Rules::Terminal::fixed: a new job, and the old one points at it.
std::optional<Refusal> succeed(Transaction& tx, Entry& entry, const Redrive& redrive,
                               Change change) {
  if (tx.find(redrive.successor) != nullptr) {
    return Refusal{.code = Code::invalid_field,
                   .detail = "successorId already names another job; choose a new id"};
  }
  const NewJob next = successor_of(entry.job(), tx.body(entry), redrive);
  if (auto refusal = enqueue_successor(tx, redrive.ns, next)) return refusal;
  apply(tx, std::move(change));
  return std::nullopt;
}

bool is_same_token(TokenRecord a, const TokenRecord& b) {
  a.created_at = b.created_at;
  a.last_used_at = b.last_used_at;
  return a == b;
}

Refusal no_such_token() { return {.code = Code::not_found, .detail = "there is no such token"}; }

}  // namespace

Verdict run(Transaction& tx, const Cancel& cancel) {
  return said_by_operator(tx, cancel, cancel.force ? "forceCancel" : "cancel", cancel.actor);
}

Verdict run(Transaction& tx, const Promote& promote) {
  return said_by_operator(tx, promote, "promote", promote.actor);
}

Verdict run(Transaction& tx, const Resolve& resolve) {
  return said_by_operator(tx, resolve, "resolve", resolve.actor);
}

Verdict run(Transaction& tx, const Redrive& redrive) {
  Entry* entry = find(tx, redrive.ns, redrive.job);
  if (entry == nullptr) return no_such_job();
  const bool in_place = tx.rules().terminal == Rules::Terminal::reopen;
  // Before the rules decide, so that the job lives again only after whoever had its key.
  const Entry* holder = in_place ? holder_of_key(tx, entry->job()) : nullptr;
  Decision decision = decide(entry->job(), redrive, tx.rules(), tx.now());
  if (auto* refusal = std::get_if<Refusal>(&decision)) return std::move(*refusal);
  if (const auto* replay = std::get_if<Replay>(&decision)) return redriven_before(tx, *replay);
  Change& change = std::get<Change>(decision);
  Verdict verdict = change.verdict;
  auto refusal = in_place ? reopen(tx, *entry, redrive, holder, std::move(change))
                          : succeed(tx, *entry, redrive, std::move(change));
  if (refusal) return std::move(*refusal);
  if (redrive.actor) {
    tx.record_audit(*redrive.actor, redrive.ns, "redrive", to_text(redrive.job));
  }
  return verdict;
}

Verdict run(Transaction& tx, const PauseQueue& pause) {
  if (!tx.set_pause(pause.ns, pause.queue, pause.paused)) return Done{};
  if (!pause.paused) tx.hint(pause.ns, pause.queue);
  tx.record_audit(pause.actor, pause.ns, pause.paused ? "pause" : "resume", pause.queue);
  return Done{};
}

Verdict run(Transaction& tx, const SetRules& set) {
  const RulesRecord stored = tx.rules_record();
  const auto decided = decide_rules(stored, set);
  if (const auto* refusal = std::get_if<Refusal>(&decided)) return *refusal;
  const auto& next = std::get<RulesRecord>(decided);
  if (next == stored) return Done{};
  tx.set_rules(next);
  tx.record_audit(set.actor, set.ns, "setRules", audit_target(stored, next, set));
  return Done{};
}

Verdict run(Transaction& tx, const RecordAudit& record) {
  if (tx.is_audited(record, tx.now() - resent_within)) return Done{};
  tx.record_audit(record.actor, record.ns, record.action, record.target);
  return Done{};
}

Verdict run(Transaction& tx, const PutToken& put) {
  if (const auto known = tx.find_token(put.token.id)) {
    if (is_same_token(*known, put.token)) return Done{};
    return Refusal{.code = Code::invalid_field,
                   .detail = "id already names another token; choose a new one"};
  }
  TokenRecord token = put.token;
  token.created_at = tx.now();
  tx.insert_token(token);
  tx.record_audit(put.actor, token.ns, "createToken", token.id);
  return Done{};
}

Verdict run(Transaction& tx, const RevokeToken& revoke) {
  const auto known = tx.find_token(revoke.id);
  if (!known || known->ns != revoke.ns) return no_such_token();
  tx.erase_token(revoke.id);
  tx.record_audit(revoke.actor, revoke.ns, "revokeToken", revoke.id);
  return Done{};
}

Verdict run(Transaction& tx, const TouchToken& touch) {
  if (!tx.find_token(touch.id)) return no_such_token();
  tx.touch_token(touch.id);
  return Done{};
}

}  // namespace longshore::execute
