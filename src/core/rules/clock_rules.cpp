// Transitions caused by the clock, and the start of an attempt.
#include <algorithm>
#include <utility>

#include "core/rules/lifecycle.h"
#include "core/rules/settle.h"

namespace longshore {
namespace {

Refusal not_now(std::string detail) {
  return {.code = Code::wrong_state, .detail = std::move(detail)};
}

bool waits_to_start(State state) {
  return state == State::created || state == State::scheduled || state == State::queued ||
         state == State::retry;
}

void withdraw_expired(Draft& draft) {
  draft.withdraw(
      {.code = std::string(platform::expired), .message = "not started before expiresAt"},
      Cause::expired);
}

bool is_expired(Draft& draft) {
  return draft.job().expires_at && draft.reached(*draft.job().expires_at);
}

AttemptEnd timed_out(const Draft& draft) {
  AttemptEnd end{.cause = Cause::timeout,
                 .error = {.code = std::string(platform::timeout),
                           .message = "the attempt took longer than its timeout"}};
  if (draft.rules().delay_on_timeout == Rules::DelayOnTimeout::backoff) {
    end.delay = next_backoff(draft.job());
  }
  return end;
}

// The owner has sent no heartbeat for two thirds of the lease it last asked for.
bool owner_is_silent(const Job& job) {
  const bool beats = job.lease < job.policy.timeout;
  const Instant since_claim =
      beats ? *job.started_at + heartbeat_grace(job.lease) : *job.deadline_at;
  return job.heartbeat_due_at.value_or(since_claim) < *job.deadline_at;
}

// A lease ends no later than the deadline. One that expired earlier lost its worker, whenever it is
// found; one that expired at the deadline timed out, unless its worker was silent by then.
bool ends_lost(const Job& job, const Rules& rules) {
  if (job.state != State::running) return false;
  if (rules.on_lease_lost == Rules::OnLeaseLost::wait_timeout) return false;
  return *job.lease_expires_at < *job.deadline_at || owner_is_silent(job);
}

Duration default_lease(const Job& job, const Rules& rules) {
  const Duration timeout = job.policy.timeout;
  if (rules.lease_is_timeout) return timeout;
  if (!rules.lease_in_thirds) return rules.lease;
  return std::min(rules.lease, Duration::millis(timeout.count() / 3));
}

AttemptEnd lost(Draft& draft) {
  Job& job = draft.job();
  const Rules& rules = draft.rules();
  job.crashes += 1;
  AttemptEnd end{.cause = Cause::lease_lost,
                 .counted = false,
                 .list_error = false,
                 .detail = platform::lease_lost};
  if (rules.on_lease_lost == Rules::OnLeaseLost::count_failure) {
    end.counted = true;
    end.list_error = true;
    end.error = {.code = std::string(platform::lease_lost),
                 .message = "the worker stopped sending heartbeats"};
    end.delay = next_backoff(job);
  } else if (rules.max_crashes && job.crashes > *rules.max_crashes) {
    end.dies_of = Cause::limit_exceeded;
    end.error = {.code = std::string(platform::poison),
                 .message = "its workers were lost " + std::to_string(job.crashes) + " times"};
  }
  return end;
}

}  // namespace

std::optional<Instant> wakes_at(const Job& job, const Rules& rules) {
  switch (job.state) {
    case State::scheduled:
    case State::retry:
      return job.run_at;
    case State::running:
      return rules.on_lease_lost == Rules::OnLeaseLost::wait_timeout ? job.deadline_at
                                                                     : job.lease_expires_at;
    case State::waiting:
      return job.deadline_at;
    default:
      return std::nullopt;
  }
}

Decision decide(const Job& job, const DueEvent&, const Rules& rules, Instant now) {
  if (job.state != State::scheduled && job.state != State::retry) {
    return not_now("only a SCHEDULED or RETRY job can become due");
  }
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (is_expired(draft)) return withdraw_expired(draft), std::nullopt;
    if (!draft.reached(job.run_at)) return not_now("runAt is in the future");
    draft.move(State::queued, Cause::due);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const LeaseEndEvent& event, const Rules& rules, Instant now) {
  const bool held = job.state == State::running || job.state == State::waiting;
  if (!held) return not_now("no worker holds the job");
  const bool is_lost = ends_lost(job, rules);
  if (is_lost && !event.lost_leases) return not_now("lost leases are not reclaimed now");
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!draft.reached(*wakes_at(job, rules))) return not_now("the lease has not expired");
    const AttemptEnd end = is_lost ? lost(draft) : timed_out(draft);
    end_attempt(draft, end);
    return std::nullopt;
  });
}

Decision decide(const Job& job, const ExpiryEvent&, const Rules& rules, Instant now) {
  if (!waits_to_start(job.state)) return not_now("only a job that has not started can expire");
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!is_expired(draft)) return not_now("the job has not expired");
    return withdraw_expired(draft), std::nullopt;
  });
}

Decision decide(const Job& job, const AcceptEvent&, const Rules& rules, Instant now) {
  if (job.state != State::created) return not_now("the job has already been accepted");
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    const bool due = draft.reached(job.run_at);
    draft.move(due ? State::queued : State::scheduled, Cause::accept);
    draft.change().verdict = Settled{.job = job.id, .status = status_of(draft.job())};
    return std::nullopt;
  });
}

Decision decide(const Job& job, const RecoverEvent&, const Rules& rules, Instant now) {
  if (job.state != State::running) return not_now("the job is not running");
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    end_attempt(draft, {.cause = Cause::release, .counted = false, .detail = "restart"});
    return std::nullopt;
  });
}

Decision decide(const Job& job, const GraceEvent&, const Rules& rules, Instant now) {
  if (job.state != State::running) return not_now("the job is not running");
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    if (!draft.reached(*job.lease_expires_at)) return not_now("the lease has not expired");
    Job& after = draft.job();
    after.lease_expires_at =
        std::min(*after.deadline_at, std::max(*after.lease_expires_at, now + after.lease));
    return std::nullopt;
  });
}

// A worker was promised a duration, so all its times move with the clock.
Decision decide(const Job& job, const ClockJumpEvent& event, const Rules& rules, Instant now) {
  const bool held = job.state == State::running || job.state == State::waiting;
  if (!held) return not_now("no worker holds the job");
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    Job& after = draft.job();
    for (auto* end : {&after.lease_expires_at, &after.deadline_at, &after.heartbeat_due_at}) {
      if (*end) *end = **end + event.by;
    }
    after.updated_at = draft.now();
    return std::nullopt;
  });
}

Decision decide(const Job& job, const GrantEvent& event, const Rules& rules, Instant now) {
  if (job.state != State::queued || job.cancel_requested) return not_now("the job is not queued");
  return draft_change(job, rules, now, [&](Draft& draft) -> MaybeRefusal {
    // Checked first, because stores may skip jobs that are too young for the claim.
    const Claim& claim = *event.claim;
    if (claim.queued_for && !draft.reached(job.updated_at + *claim.queued_for)) {
      return not_now("the job has been queued for less than queuedFor");
    }
    if (is_expired(draft)) return withdraw_expired(draft), std::nullopt;
    Job& after = draft.job();
    after.epoch += 1;
    after.attempt += 1;
    after.claim = claim.id;
    after.worker = claim.worker;
    after.node = claim.node;
    after.settled.reset();
    after.progress.reset();
    after.started_at = draft.now();
    if (!after.first_started_at) after.first_started_at = draft.now();
    after.lease = claim.lease.value_or(default_lease(job, rules));
    after.heartbeat_due_at.reset();
    after.deadline_at = now + job.policy.timeout;
    after.lease_expires_at = std::min(*after.deadline_at, now + after.lease);
    if (!rules.checkpoint_survives) draft.change().drop_checkpoint = true;
    draft.move(State::running, Cause::claim);
    return std::nullopt;
  });
}

}  // namespace longshore
