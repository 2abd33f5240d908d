// Every rule of a job's life, as pure functions: decide(job, what happened, rules, now) gives
// the change with its guard, the replay of an answer given before, or a refusal. A store finds
// the job and the moment; nothing here knows how. Commands are their own events; what only the
// clock or a store can cause is listed first.
#pragma once

#include "core/rules/change.h"
#include "longshore/command.h"
#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

struct DueEvent {};  // run_at has come
// The lease, or the hand-off's deadline, has ended.
struct LeaseEndEvent {
  bool lost_leases = true;  // false: only those that reached their deadline are judged
};
struct ExpiryEvent {};   // expires_at has come
struct AcceptEvent {};   // a recorded job is accepted
struct RecoverEvent {};  // the node whose own worker held the job has started again
struct GraceEvent {};    // the lease ended while no node was up
// The store's time went forward by so much, and no time passed.
struct ClockJumpEvent {
  Duration by;
};
// A claim has come to this job; admission (pause, limits, order) has already been asked.
struct GrantEvent {
  const Claim* claim;
};

// The claim that holds the job was sent again, and is answered with the same lease.
struct ClaimAgainEvent {};

Decision decide(const Job& job, const DueEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const LeaseEndEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const ExpiryEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const AcceptEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const RecoverEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const GraceEvent& event, const Rules& rules, Instant now);
Decision decide(const Job& job, const ClockJumpEvent& event, const Rules& rules, Instant now);
// A job found expired is withdrawn instead of started: look at the state of the change.
Decision decide(const Job& job, const GrantEvent& event, const Rules& rules, Instant now);
// Its worker was heard: no transition, and the lease ends when it did.
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
// In place under Rules::Terminal::reopen; otherwise the change links the successor, which the
// store enqueues in the same commit from successor_of().
Decision decide(const Job& job, const Redrive& redrive, const Rules& rules, Instant now);
NewJob successor_of(const Job& job, const JobBody& body, const Redrive& redrive);

// When the clock has something to say to a job in this state: its run_at, the end of its lease,
// its deadline; none when it only waits to be claimed. Expiry is apart.
std::optional<Instant> wakes_at(const Job& job, const Rules& rules);

}  // namespace longshore
