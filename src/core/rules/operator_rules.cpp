// Transitions caused by producers and operators.
#include <algorithm>
#include <utility>

#include "core/rules/lifecycle.h"
#include "core/rules/settle.h"

namespace longshore {
namespace {

void answer_with_status(Draft& draft) {
  draft.change().verdict = Settled{.job = draft.job().id, .status = status_of(draft.job())};
}

Decision unchanged(const Job& job, bool asked = false) {
  return Replay{Settled{.job = job.id, .status = status_of(job), .asked = asked}};
}

Refusal terminal(const Job& job) {
  return {.code = Code::terminal,
          .detail = "the job has already ended as " + std::string(to_text(job.state))};
}

// Runs the same job again: the retries are reset, the id and the epoch are kept.
Decision reopen(const Job& job, const Redrive& redrive, const Rules& rules, Instant now) {
  const Instant run_at = redrive.run_at.value_or(now + redrive.delay);
  const bool later = run_at > now;
  if (later && job.state != State::dead) {
    return Refusal{.code = Code::wrong_state,
                   .detail = "a canceled job can only be requeued at once; leave out the delay"};
  }
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    Job& after = draft.job();
    after.failures = 0;
    after.retry_count = 0;
    after.withdrawn = false;
    after.completed_at.reset();
    after.prune_after.reset();
    after.settled.reset();
    after.content = redrive.successor;  // recognizes a repeat of the same redrive
    if (redrive.queue) after.queue = *redrive.queue;
    if (redrive.priority) after.priority = *redrive.priority;
    if (redrive.max_retries) after.policy.max_retries = *redrive.max_retries;
    if (redrive.timeout) after.policy.timeout = *redrive.timeout;
    after.expires_at.reset();
    after.run_at = std::max(run_at, now);
    draft.move(later ? State::scheduled : State::queued, Cause::reopen);
    answer_with_status(draft);
    return std::nullopt;
  });
}

}  // namespace

Decision decide(const Job& job, const Cancel& cancel, const Rules& rules, Instant now) {
  if (status_of(job) == Status::canceled) return unchanged(job);
  const bool may_reopen = rules.terminal == Rules::Terminal::reopen;
  if (is_terminal(job.state) && !may_reopen) return terminal(job);
  const bool asks = job.state == State::running && !cancel.force;
  if (asks && job.cancel_requested) return unchanged(job, true);
  const bool refuses_force = rules.other_moves == Rules::OtherMoves::refused;
  if (refuses_force && cancel.force && job.state == State::running) {
    return not_in_profile(rules, "a forced cancel; cancel without force");
  }
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (asks) {
      draft.job().cancel_requested = true;
      draft.touch();
      draft.change().verdict = Settled{.job = job.id, .status = Status::running, .asked = true};
      return std::nullopt;
    }
    draft.withdraw(canceled_error(), Cause::cancel);
    answer_with_status(draft);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const Promote&, const Rules& rules, Instant now) {
  if (is_terminal(job.state)) return terminal(job);
  if (job.state == State::queued) return unchanged(job);
  if (job.state == State::running || job.state == State::waiting) {
    return Refusal{.code = Code::wrong_state, .detail = "the job has already started"};
  }
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    draft.make_eligible();
    draft.job().run_at = now;
    answer_with_status(draft);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const Redrive& redrive, const Rules& rules, Instant now) {
  if (job.successor_id) {
    return Replay{Settled{.job = *job.successor_id, .status = Status::pending}};
  }
  const bool may_reopen = rules.terminal == Rules::Terminal::reopen;
  if (may_reopen && job.content == redrive.successor) return unchanged(job);
  if (job.state != State::dead && job.state != State::canceled) {
    return Refusal{.code = Code::wrong_state,
                   .detail = "only a dead or canceled job can be redriven; this one is " +
                             std::string(to_text(job.state))};
  }
  if (may_reopen) return reopen(job, redrive, rules, now);
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    // Nothing else of an ended job changes.
    draft.job().successor_id = redrive.successor;
    draft.job().version += 1;
    draft.change().verdict = Settled{.job = redrive.successor, .status = Status::pending};
    return std::nullopt;
  });
}

NewJob successor_of(const Job& job, const JobBody& body, const Redrive& redrive) {
  NewJob next;
  next.id = redrive.successor;
  next.type = job.type;
  next.queue = redrive.queue.value_or(job.queue);
  next.priority = redrive.priority.value_or(job.priority);
  next.body = body;
  if (redrive.payload) next.body.payload = *redrive.payload;
  next.policy = job.policy;
  if (redrive.max_retries) next.policy.max_retries = *redrive.max_retries;
  if (redrive.timeout) next.policy.timeout = *redrive.timeout;
  next.job_key = job.job_key;
  next.on_conflict = OnConflict::reject;
  next.delay = redrive.delay;
  next.run_at = redrive.run_at;
  next.callback = job.callback;
  next.redrive_of = job.id;
  return next;
}

}  // namespace longshore
