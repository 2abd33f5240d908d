// The rules of the job life cycle, as pure functions: decide(job, event, rules, now) returns a
// change with its guard, a replay of an earlier answer, or a refusal. A store supplies the job and
// the time. Commands are events; events that only the clock or a store causes are listed first.
#pragma once

#include "core/rules/change.h"
#include "longshore/command.h"
#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

struct DueEvent {};  // run_at has passed
// The lease, or the deadline of a hand-off, has expired.
struct LeaseEndEvent {
  bool lost_leases = true;  // false: only attempts that reached their deadline end
};
struct ExpiryEvent {};   // expires_at has passed
struct AcceptEvent {};   // a recorded job is accepted
struct RecoverEvent {};  // the node whose worker held the job has restarted
struct GraceEvent {};    // the lease expired while no node was running
// The store's time jumped forward without time passing.
struct ClockJumpEvent {
  Duration by;
};
// A claim takes this job. The store has already checked pauses, limits and order.
struct GrantEvent {
  const Claim* claim;
};

// The claim that holds the job was repeated, and is answered with the same lease.
struct ClaimAgainEvent {};

Decision decide(const Job& job, const DueEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const LeaseEndEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const ExpiryEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const AcceptEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const RecoverEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const GraceEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const ClockJumpEvent& event, const Rules& rules, Instant now);
// An expired job is withdrawn instead of started: check the state of the change.
Decision decide(const Job& job, const GrantEvent& event, const Rules& rules, Instant now);
// Counts as a sign of life: no transition, and the lease is not extended.
Decision decide(const Job& job, const ClaimAgainEvent& event, const Rules& rules, Instant now);

Decision decide(const Job& job, const Heartbeat& beat, const Rules& rules, Instant now);
Decision decide(const Job& job, const Complete& complete, const Rules& rules, Instant now);
Decision decide(const Job& job, const Fail& fail, const Rules& rules, Instant now);
Decision decide(const Job& job, const Release& release, const Rules& rules, Instant now);
Decision decide(const Job& job, const HandOff& hand_off, const Rules& rules, Instant now);
Decision decide(const Job& job, const FinishByKey& finish, const Rules& rules, Instant now);

Decision decide(const Job& job, const Cancel& cancel, const Rules& rules, Instant now);
Decision decide(const Job& job, const Promote& promote, const Rules& rules, Instant now);
Decision decide(const Job& job, const Resolve& resolve, const Rules& rules, Instant now);
// Reopens the job under Rules::Terminal::reopen. Otherwise the change links the successor, which
// the store enqueues in the same commit from successor_of().
Decision decide(const Job& job, const Redrive& redrive, const Rules& rules, Instant now);
NewJob successor_of(const Job& job, const JobBody& body, const Redrive& redrive);

// When the clock next affects a job in this state: its run_at, the end of its lease or its
// deadline; none for other states. Does not include expires_at.
std::optional<Instant> wakes_at(const Job& job, const Rules& rules);

}  // namespace longshore
