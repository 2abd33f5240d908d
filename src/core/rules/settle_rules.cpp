// Transitions caused by workers, replies by key and resolving operators.
#include <algorithm>
#include <utility>

#include "core/rules/lifecycle.h"
#include "core/rules/limits.h"
#include "core/rules/settle.h"
#include "core/text/hash.h"

namespace longshore {
namespace {

using Kind = Settlement::Kind;

Refusal lease_lost() {
  return {
      .code = Code::lease_lost,
      .detail = "this token no longer owns the job; stop the work, its outcome is not accepted"};
}

Refusal reserved_code(std::string_view code) {
  return {
      .code = Code::invalid_field,
      .detail = "error.code " + std::string(code) + " is reserved for the platform; use another"};
}

// The answer if this token has settled the job since the last claim.
std::optional<Decision> settled_before(const Job& job, const LeaseToken& by, Kind kind,
                                       std::uint64_t outcome) {
  if (!job.settled || job.settled->by != by) return std::nullopt;
  if (job.settled->kind == kind && job.settled->outcome == outcome) {
    return Replay{Settled{.job = job.id, .status = job.settled->status}};
  }
  // A hand-off is not an outcome: its token can still settle the job.
  if (job.settled->kind == Kind::hand_off) return std::nullopt;
  return Refusal{.code = Code::already_settled,
                 .detail = "this token has already settled the job with another outcome"};
}

void settle(Draft& draft, const LeaseToken& by, Kind kind, std::uint64_t outcome) {
  Job& job = draft.job();
  const Status status = status_of(job);
  job.settled = Settlement{.by = by, .kind = kind, .outcome = outcome, .status = status};
  draft.change().verdict = Settled{.job = job.id, .status = status};
}

std::uint64_t outcome_hash(const JobError& error, bool retryable,
                           std::optional<Duration> retry_after) {
  const std::string wait = retry_after ? std::to_string(retry_after->count()) : "-";
  return hash64(error.code + '\n' + error.message + '\n' + error.details + '\n' +
                (retryable ? 'r' : 'f') + wait);
}

std::uint64_t outcome_hash(const Outcome& outcome) {
  if (outcome.result) return hash64(*outcome.result);
  return outcome_hash(outcome.error, outcome.retryable, std::nullopt);
}

// The error to store: with a code, and its message cut to error_message_bytes_kept.
JobError as_stored(JobError error) {
  if (error.code.empty()) error.code = "ERROR";
  if (error.message.size() > error_message_bytes_kept) {
    std::size_t end = error_message_bytes_kept;
    while (end > 0 && (static_cast<unsigned char>(error.message[end]) & 0xC0) == 0x80) --end;
    error.message.resize(end);
  }
  return error;
}

bool refuses_other_moves(const Rules& rules) {
  return rules.other_moves == Rules::OtherMoves::refused;
}

// The token that a reply by key settles with: its id and its negated fence, which cannot equal a
// lease's epoch.
LeaseToken settler(const FinishByKey& finish) {
  return {.epoch = -finish.fence.value_or(0), .claim = finish.id};
}

// The answer if this reply, or one with the same fence, has settled the job since its last claim.
std::optional<Decision> settled_before(const Job& job, const FinishByKey& finish, Kind kind,
                                       std::uint64_t outcome) {
  if (!job.settled || job.settled->by.epoch > 0) return std::nullopt;
  const LeaseToken& by = job.settled->by;
  const bool same_fence = finish.fence.value_or(0) > 0 && by.epoch == -*finish.fence;
  if (by.claim != finish.id && !same_fence) return std::nullopt;
  return settled_before(job, by, kind, outcome);
}

// Makes a reserved worker name the owner of the job, whether it had one or not.
void take_over(Draft& draft, std::string_view worker) {
  const State state = draft.job().state;
  if (state != State::running && state != State::waiting) {
    draft.make_eligible();
    draft.claim_as(worker);
  }
  draft.job().worker = worker;
}

// REQUIRES: running or waiting. A final outcome is never retried.
void apply_outcome(Draft& draft, const Outcome& outcome, bool final) {
  if (outcome.result) return draft.succeed(*outcome.result);
  AttemptEnd end = failed_attempt(draft, as_stored(outcome.error), outcome.retryable, std::nullopt);
  if (final) end.dies_of = Cause::fatal;
  end_attempt(draft, end);
}

// When the lease counts as lost if its owner stays silent. Always differs from the previous value,
// because nodes compare it to detect heartbeats (Lease::heard): heartbeats of the same millisecond
// add one.
Instant due_after(const Job& job, Duration asked, Instant now) {
  const Instant due = asked < job.policy.timeout ? now + heartbeat_grace(asked) : *job.deadline_at;
  const Instant before = job.heartbeat_due_at.value_or(Instant());
  const bool is_same_time = due <= before && before - due < Duration::seconds(1);
  return is_same_time ? before + Duration::millis(1) : due;
}

}  // namespace

Decision decide(const Job& job, const ClaimAgainEvent&, const Rules& rules, Instant now) {
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!holds(draft, {job.epoch, job.claim}) || job.state != State::running) return lease_lost();
    Job& after = draft.job();
    const Instant due = due_after(after, after.lease, now);
    // Also later than a heartbeat that asked for more, so that every answer differs.
    const Instant later = after.heartbeat_due_at.value_or(Instant()) + Duration::millis(1);
    after.heartbeat_due_at = std::max(due, later);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const Heartbeat& beat, const Rules& rules, Instant now) {
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!holds(draft, beat.token)) return lease_lost();
    Job& after = draft.job();
    if (after.state == State::running) {
      const Duration asked = beat.extend.value_or(after.lease);
      after.lease_expires_at =
          std::min(*after.deadline_at, std::max(*after.lease_expires_at, now + asked));
      after.heartbeat_due_at = due_after(after, asked, now);
    }
    if (beat.progress) after.progress = beat.progress;
    if (beat.checkpoint) draft.change().checkpoint = beat.checkpoint;
    if (beat.progress || beat.checkpoint) draft.touch();
    draft.change().log = beat.log;
    draft.change().log_id = beat.id;
    const bool running = after.state == State::running;
    draft.change().verdict =
        Beaten{.lease_expires_at = running ? *after.lease_expires_at : *after.deadline_at,
               .cancel_requested = after.cancel_requested};
    return std::nullopt;
  });
}

Decision decide(const Job& job, const Complete& complete, const Rules& rules, Instant now) {
  const std::uint64_t outcome = hash64(complete.result);
  if (auto earlier = settled_before(job, complete.token, Kind::complete, outcome)) return *earlier;
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!holds(draft, complete.token)) return lease_lost();
    draft.change().log = complete.log;
    draft.succeed(complete.result);
    settle(draft, complete.token, Kind::complete, outcome);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const Fail& fail, const Rules& rules, Instant now) {
  if (is_reserved_code(fail.error.code)) return reserved_code(fail.error.code);
  const std::uint64_t outcome = outcome_hash(fail.error, fail.retryable, fail.retry_after);
  if (auto earlier = settled_before(job, fail.token, Kind::fail, outcome)) return *earlier;
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!holds(draft, fail.token)) return lease_lost();
    draft.change().log = fail.log;
    end_attempt(draft,
                failed_attempt(draft, as_stored(fail.error), fail.retryable, fail.retry_after));
    settle(draft, fail.token, Kind::fail, outcome);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const Release& release, const Rules& rules, Instant now) {
  if (auto earlier = settled_before(job, release.token, Kind::release, 0)) return *earlier;
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!holds(draft, release.token)) return lease_lost();
    const Instant heard = job.heartbeat_due_at.value_or(Instant());
    // A job that was handed off has a worker that knows of it.
    const bool was_heard = job.state != State::running || release.heard != heard;
    if (release.heard && was_heard) return lease_lost();
    if (release.checkpoint) draft.change().checkpoint = release.checkpoint;
    draft.change().log = release.log;
    end_attempt(draft, {.cause = Cause::release,
                        .counted = false,
                        .detail = platform::released,
                        .delay = release.delay,
                        .place = Place::front});
    settle(draft, release.token, Kind::release, 0);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const HandOff& hand_off, const Rules& rules, Instant now) {
  if (auto earlier = settled_before(job, hand_off.token, Kind::hand_off, 0)) return *earlier;
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!holds(draft, hand_off.token) || job.state != State::running) return lease_lost();
    if (refuses_other_moves(rules)) return not_in_profile(rules, "hand-off");
    Job& after = draft.job();
    if (after.cancel_requested) {
      draft.withdraw(canceled_error(), Cause::cancel);
    } else {
      after.deadline_at = now + hand_off.timeout.value_or(after.policy.timeout);
      draft.move(State::waiting, Cause::hand_off);
    }
    settle(draft, hand_off.token, Kind::hand_off, 0);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const FinishByKey& finish, const Rules& rules, Instant now) {
  if (!finish.outcome.result && is_reserved_code(finish.outcome.error.code)) {
    return reserved_code(finish.outcome.error.code);
  }
  const Kind kind = finish.outcome.result ? Kind::complete : Kind::fail;
  const std::uint64_t outcome = outcome_hash(finish.outcome);
  if (auto earlier = settled_before(job, finish, kind, outcome)) return *earlier;
  if (is_terminal(job.state)) {
    return Refusal{.code = Code::not_found, .detail = "no live job has this key"};
  }
  if (finish.fence && *finish.fence != job.epoch) {
    return Refusal{.code = Code::lease_lost,
                   .detail = "fence " + std::to_string(*finish.fence) + " is not the job's epoch " +
                             std::to_string(job.epoch)};
  }
  if (refuses_other_moves(rules) && job.state == State::running) {
    return not_in_profile(rules, "finishing a running job by key");
  }
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    const bool overdue = job.state == State::waiting && draft.reached(*job.deadline_at);
    // A reopened job can be SCHEDULED although it was started before.
    if (job.attempt == 0 || job.state == State::scheduled || overdue) {
      return Refusal{.code = Code::wrong_state,
                     .detail = overdue ? "the hand-off has timed out; wait for the next attempt"
                                       : "the job has not been started"};
    }
    take_over(draft, "external");
    apply_outcome(draft, finish.outcome, false);
    settle(draft, settler(finish), kind, outcome);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const Resolve& resolve, const Rules& rules, Instant now) {
  if (!resolve.outcome.result && is_reserved_code(resolve.outcome.error.code)) {
    return reserved_code(resolve.outcome.error.code);
  }
  const LeaseToken by{.epoch = 0, .claim = resolve.id};
  const Kind kind = resolve.outcome.result ? Kind::complete : Kind::fail;
  const std::uint64_t outcome = outcome_hash(resolve.outcome);
  if (auto earlier = settled_before(job, by, kind, outcome)) return *earlier;
  if (is_terminal(job.state)) {
    return Refusal{.code = Code::terminal,
                   .detail = "the job has already ended; redrive it to run it again"};
  }
  if (refuses_other_moves(rules) && job.state == State::running) {
    return not_in_profile(rules, "resolving a running job");
  }
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    take_over(draft, "system");
    // An operator's outcome is final: an error is not retried, and a cancel does not override it.
    draft.job().cancel_requested = false;
    apply_outcome(draft, resolve.outcome, true);
    settle(draft, by, kind, outcome);
    return std::nullopt;
  });
}

}  // namespace longshore
