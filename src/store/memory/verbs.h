// What a memory store does with each command. Whoever calls has checked the command
// (core/rules/command_check.h), holds the store's mutex, and drops the Step's news after a Refusal.
#pragma once

#include "store/memory/step.h"

namespace longshore::memory {

// enqueue.cpp
Verdict run(Step& step, const Enqueue& enqueue);

// claim.cpp
Verdict run(Step& step, const Claim& claim);

// settle.cpp
Verdict run(Step& step, const Accept& accept);
Verdict run(Step& step, const Heartbeat& beat);
Verdict run(Step& step, const Complete& complete);
Verdict run(Step& step, const Fail& fail);
Verdict run(Step& step, const Release& release);
Verdict run(Step& step, const HandOff& hand_off);
Verdict run(Step& step, const FinishByKey& finish);

// operators.cpp
Verdict run(Step& step, const Cancel& cancel);
Verdict run(Step& step, const Promote& promote);
Verdict run(Step& step, const Resolve& resolve);
Verdict run(Step& step, const Redrive& redrive);
Verdict run(Step& step, const PauseQueue& pause);
Verdict run(Step& step, const SetRules& set);
Verdict run(Step& step, const RecordAudit& record);
Verdict run(Step& step, const PutToken& put);
Verdict run(Step& step, const RevokeToken& revoke);
Verdict run(Step& step, const TouchToken& touch);

// sweeps.cpp
Verdict run(Step& step, const Due& due);
Verdict run(Step& step, const Reap& reap);
Verdict run(Step& step, const Sweep& sweep);

// prune.cpp
Verdict run(Step& step, const Prune& prune);
// The store's time went forward by so much though no time passed: what workers were promised moves
// along.
void move_leases(Step& step, Duration by);

// observation.cpp
Verdict run(Step& step, const StartNode& start);
Verdict run(Step& step, const SeeNode& node);
Verdict run(Step& step, const Configure& configure);
Verdict run(Step& step, const SeeWorkers& seen);
Verdict run(Step& step, const RecordMinutes& record);

}  // namespace longshore::memory
