#include "core/rules/enqueue.h"

#include <utility>

#include "core/rules/draft.h"
#include "core/rules/settle.h"

namespace longshore {

bool is_platform_type(std::string_view type) { return type.starts_with("longshore."); }

namespace {

AnsweredBy answered_by(const Job& job, bool fresh) {
  return {EnqueuedJob{.id = job.id, .status = status_of(job), .fresh = fresh}};
}

Instant start_time(const NewJob& wanted, Instant now) {
  return wanted.run_at ? *wanted.run_at : now + wanted.delay;
}

// The fields that a new job and a replaced job both take from the request.
void fill(Job& job, const NewJob& wanted, Instant now) {
  job.queue = wanted.queue;
  job.priority = wanted.priority;
  job.policy = wanted.policy;
  job.expires_at = wanted.expires_at;
  job.callback = wanted.callback;
  job.redrive_of = wanted.redrive_of;
  job.content = wanted.id;
  job.run_at = start_time(wanted, now);
}

EnqueueDecision create(const std::string& ns, const NewJob& wanted, const Rules& rules,
                       Instant now) {
  return draft_new_job<EnqueueDecision>(rules, now, [&](Draft& draft) -> MaybeRefusal {
    Job& job = draft.job();
    job.id = wanted.id;
    job.ns = ns;
    job.type = wanted.type;
    job.job_key = wanted.job_key;
    job.idempotency_key = wanted.idempotency_key;
    job.created_at = now;
    fill(job, wanted, now);
    draft.move(State::created, Cause::enqueue);
    if (rules.accept == Rules::Accept::one_phase) {
      const bool due = draft.reached(job.run_at);
      draft.move(due ? State::queued : State::scheduled, Cause::accept);
    }
    draft.change().body = wanted.body;
    return std::nullopt;
  });
}

bool refuses_replace(const Rules& rules) { return rules.other_moves == Rules::OtherMoves::refused; }

EnqueueDecision replaced(const Job& holder, const NewJob& wanted, const Rules& rules, Instant now) {
  return draft_change<EnqueueDecision>(holder, rules, now, [&](Draft& draft) -> MaybeRefusal {
    // The table has no replace of a CREATED job, so it is accepted first.
    const bool recorded = holder.state == State::created;
    const bool only_accept = recorded && refuses_replace(rules);
    if (recorded && !only_accept) draft.move(State::queued, Cause::accept);
    fill(draft.job(), wanted, now);
    if (holder.idempotency_key.empty()) draft.job().idempotency_key = wanted.idempotency_key;
    const bool due = draft.reached(draft.job().run_at);
    draft.move(due ? State::queued : State::scheduled,
               only_accept ? Cause::accept : Cause::replace);
    draft.change().body = wanted.body;
    return std::nullopt;
  });
}

bool may_be_replaced(const Job& holder) {
  const bool waits = holder.state == State::created || holder.state == State::scheduled ||
                     holder.state == State::queued;
  return waits && holder.attempt == 0;
}

Refusal key_in_use(const Job& holder, std::string detail) {
  return {.code = Code::key_in_use, .detail = std::move(detail), .job = holder.id};
}

// Reveals no details of a job in another namespace.
Refusal id_in_use(const std::string& ns, const Job& holder) {
  if (holder.ns != ns) {
    return {.code = Code::id_in_use, .detail = "jobId is taken; choose a new one"};
  }
  return {.code = Code::id_in_use,
          .detail = "jobId is taken by a job of type " + holder.type + "; choose a new one",
          .job = holder.id};
}

// A repeat of the enqueue that created the job, or an id that two callers chose. The platform's own
// jobs are never refused: their ids derive from other jobs' ids, and the commit must not fail.
EnqueueDecision answered_by_id(const std::string& ns, const NewJob& wanted, const Job& holder) {
  const bool repeated = holder.ns == ns && holder.type == wanted.type;
  if (repeated || is_platform_type(wanted.type)) return answered_by(holder, true);
  return id_in_use(ns, holder);
}

}  // namespace

EnqueueDecision decide_enqueue(const std::string& ns, const NewJob& wanted,
                               const EnqueueFacts& facts, bool reject_mismatch, const Rules& rules,
                               Instant now) {
  if (facts.same_id != nullptr) return answered_by_id(ns, wanted, *facts.same_id);
  if (facts.same_key != nullptr) {
    if (reject_mismatch && facts.same_key->body_hash != wanted.body_hash) {
      return Refusal{
          .code = Code::idempotency_mismatch,
          .detail = "this idempotency key was used with another request; choose a new one",
          .job = facts.same_key->job};
    }
    return AnsweredBy{EnqueuedJob{
        .id = facts.same_key->job, .status = facts.same_key->last_status, .fresh = false}};
  }
  if (wanted.expires_at && *wanted.expires_at < start_time(wanted, now)) {
    return Refusal{.code = Code::invalid_field,
                   .detail = "expiresAt must not be before the job can start"};
  }
  if (facts.holder_of_key == nullptr) return create(ns, wanted, rules, now);

  const Job& holder = *facts.holder_of_key;
  if (holder.content == wanted.id) return answered_by(holder, true);
  switch (wanted.on_conflict) {
    case OnConflict::existing:
      return answered_by(holder, false);
    case OnConflict::reject:
      return key_in_use(holder, "a live job of this type already has this jobKey");
    case OnConflict::replace:
      if (may_be_replaced(holder)) {
        if (holder.state != State::created && refuses_replace(rules)) {
          return not_in_profile(rules, "replacing an accepted job");
        }
        return replaced(holder, wanted, rules, now);
      }
      return key_in_use(holder, "the job with this jobKey has started and cannot be replaced");
  }
  return key_in_use(holder, "");
}

}  // namespace longshore
