// What operators do to jobs, queues and tokens. Whatever changes something is written to the
// audit trail in the same step.
#include <ranges>
#include <utility>

#include "core/record/audit_entry.h"
#include "store/memory/enqueue.h"
#include "store/memory/verbs.h"

namespace longshore::memory {
namespace {

// Whoever repeats a call for want of an answer does so by then.
constexpr Duration resent_within = Duration::minutes(1);
constexpr int entries_looked_at = 100;

bool is_audited(const Step& step, const RecordAudit& record) {
  int looked_at = 0;
  for (const AuditEntry& entry : step.disk.audit_trail | std::views::reverse) {
    if (entry.at < step.now - resent_within || looked_at == entries_looked_at) break;
    if (entry.ns != record.ns) continue;
    if (is_same_action(entry, record)) return true;
    ++looked_at;
  }
  return false;
}

template <class Said>
Verdict said_by_operator(Step& step, const Said& said, const std::string& action,
                         const std::optional<Actor>& actor) {
  Executed judged = decide_and_apply(step, find(step.disk, said.ns, said.job), said);
  if (judged.changed && actor) record_audit(step, *actor, said.ns, action, to_text(said.job));
  return std::move(judged.verdict);
}

// The successor of a job that was redriven before, as it stands now.
Verdict redriven_before(Step& step, const Replay& replay) {
  Settled settled = std::get<Settled>(replay.verdict);
  if (const StoredJob* successor = find(step.disk, settled.job)) {
    settled.status = status_of(successor->record.job);
  }
  return settled;
}

// Under Rules::Terminal::reopen: the same job, again.
std::optional<Refusal> reopen(Step& step, const StoredJob& stored, const Redrive& redrive,
                              Change change) {
  const Job& job = stored.record.job;
  const StoredJob* holder =
      job.job_key.empty() ? nullptr : find_live(step.disk, {job.ns, job.type, job.job_key});
  if (holder != nullptr) {
    return Refusal{.code = Code::key_in_use,
                   .detail = "a live job of this type already has this jobKey",
                   .job = holder->record.job.id};
  }
  if (redrive.payload) {
    change.body = stored.record.body;
    change.body->payload = *redrive.payload;
  }
  apply(step, std::move(change));
  return std::nullopt;
}

// Under Rules::Terminal::fixed: a new job, and the old one points at it.
std::optional<Refusal> succeed(Step& step, const StoredJob& stored, const Redrive& redrive,
                               Change change) {
  if (find(step.disk, redrive.successor) != nullptr) {
    return Refusal{.code = Code::invalid_field,
                   .detail = "successorId already names another job; choose a new id"};
  }
  const NewJob next = successor_of(stored.record.job, stored.record.body, redrive);
  Undo never_needed(step);
  const auto answer = enqueue_one(step, {.ns = redrive.ns, .job = next}, never_needed);
  if (const auto* refusal = std::get_if<Refusal>(&answer)) return *refusal;
  apply(step, std::move(change));
  return std::nullopt;
}

bool is_same_token(TokenRecord a, const TokenRecord& b) {
  a.created_at = b.created_at;
  a.last_used_at = b.last_used_at;
  return a == b;
}

Refusal no_such_token() { return {.code = Code::not_found, .detail = "there is no such token"}; }

}  // namespace

Verdict run(Step& step, const Cancel& cancel) {
  return said_by_operator(step, cancel, cancel.force ? "forceCancel" : "cancel", cancel.actor);
}

Verdict run(Step& step, const Promote& promote) {
  return said_by_operator(step, promote, "promote", promote.actor);
}

Verdict run(Step& step, const Resolve& resolve) {
  return said_by_operator(step, resolve, "resolve", resolve.actor);
}

Verdict run(Step& step, const Redrive& redrive) {
  const StoredJob* stored = find(step.disk, redrive.ns, redrive.job);
  if (stored == nullptr) return no_such_job();
  Decision decision = decide(stored->record.job, redrive, step.rules, step.now);
  if (const auto* refusal = std::get_if<Refusal>(&decision)) return *refusal;
  if (const auto* replay = std::get_if<Replay>(&decision)) return redriven_before(step, *replay);
  Change& change = std::get<Change>(decision);
  Verdict verdict = change.verdict;
  const bool in_place = step.rules.terminal == Rules::Terminal::reopen;
  const std::optional<Refusal> refusal = in_place
                                             ? reopen(step, *stored, redrive, std::move(change))
                                             : succeed(step, *stored, redrive, std::move(change));
  if (refusal) return *refusal;
  if (redrive.actor) {
    record_audit(step, *redrive.actor, redrive.ns, "redrive", to_text(redrive.job));
  }
  return verdict;
}

Verdict run(Step& step, const PauseQueue& pause) {
  const MemoryDisk::Scoped queue{pause.ns, pause.queue};
  const bool is_paused = step.disk.pauses.contains(queue);
  if (is_paused == pause.paused) return Done{};
  if (pause.paused) {
    step.disk.pauses.insert(queue);
  } else {
    step.disk.pauses.erase(queue);
    step.worth_a_look.insert(queue);
  }
  record_audit(step, pause.actor, pause.ns, pause.paused ? "pause" : "resume", pause.queue);
  return Done{};
}

Verdict run(Step& step, const SetRules& set) {
  const std::shared_ptr<const RulesRecord> stored = step.disk.rules;
  auto decided = decide_rules(*stored, set);
  if (const auto* refusal = std::get_if<Refusal>(&decided)) return *refusal;
  auto next = std::make_shared<const RulesRecord>(std::get<RulesRecord>(std::move(decided)));
  if (*next == *stored) return Done{};
  step.disk.rules = next;
  record_audit(step, set.actor, set.ns, "setRules", audit_target(*stored, *next, set));
  return Done{};
}

Verdict run(Step& step, const RecordAudit& record) {
  if (is_audited(step, record)) return Done{};
  record_audit(step, record.actor, record.ns, record.action, record.target);
  return Done{};
}

Verdict run(Step& step, const PutToken& put) {
  const auto [token, is_new] = step.disk.tokens.try_emplace(put.token.id, put.token);
  if (!is_new) {
    if (is_same_token(token->second, put.token)) return Done{};
    return Refusal{.code = Code::invalid_field,
                   .detail = "id already names another token; choose a new one"};
  }
  token->second.created_at = step.now;
  record_audit(step, put.actor, put.token.ns, "createToken", put.token.id);
  return Done{};
}

Verdict run(Step& step, const RevokeToken& revoke) {
  const auto token = step.disk.tokens.find(revoke.id);
  if (token == step.disk.tokens.end() || token->second.ns != revoke.ns) return no_such_token();
  step.disk.tokens.erase(token);
  record_audit(step, revoke.actor, revoke.ns, "revokeToken", revoke.id);
  return Done{};
}

Verdict run(Step& step, const TouchToken& touch) {
  const auto token = step.disk.tokens.find(touch.id);
  if (token == step.disk.tokens.end()) return no_such_token();
  token->second.last_used_at = step.now;
  return Done{};
}

}  // namespace longshore::memory
