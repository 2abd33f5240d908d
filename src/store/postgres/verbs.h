// What a PostgreSQL store does with each command. Whoever calls has checked the command
// (core/command_check.h) and is inside a transaction; a Refusal has changed nothing.
#pragma once

#include "core/change.h"
#include "core/lifecycle.h"
#include "longshore/command.h"
#include "store/postgres/unit_of_work.h"

namespace longshore::postgres {

Refusal no_such_job();

struct Judged {
  Verdict verdict;
  bool changed = false;
};
// Applies a Change and enqueues what it spawns; answers a Refusal or a Replay.
Judged carry_out(UnitOfWork& work, Decision&& decision);

// Asks the rules what becomes of a job, and does it. A null job is not_found.
template <class Said>
Judged judge(UnitOfWork& work, const Entry* entry, const Said& said) {
  if (entry == nullptr) return {.verdict = no_such_job()};
  return carry_out(work, decide(entry->job(), said, work.rules(), work.now()));
}

// enqueue.cpp
Verdict run(UnitOfWork& work, const Enqueue& enqueue);
// Applies a change and enqueues what it spawns. A spawned job's once-key makes a second time do
// nothing.
Entry& apply(UnitOfWork& work, Change&& change);
// A job that a Redrive makes: nothing, or why not.
std::optional<Refusal> enqueue_successor(UnitOfWork& work, const std::string& ns,
                                         const NewJob& job);

// claim.cpp
Verdict run(UnitOfWork& work, const Claim& claim);

// settle.cpp
Verdict run(UnitOfWork& work, const Accept& accept);
Verdict run(UnitOfWork& work, const Heartbeat& beat);
Verdict run(UnitOfWork& work, const Complete& complete);
Verdict run(UnitOfWork& work, const Fail& fail);
Verdict run(UnitOfWork& work, const Release& release);
Verdict run(UnitOfWork& work, const HandOff& hand_off);
Verdict run(UnitOfWork& work, const FinishByKey& finish);

// operators.cpp
Verdict run(UnitOfWork& work, const Cancel& cancel);
Verdict run(UnitOfWork& work, const Promote& promote);
Verdict run(UnitOfWork& work, const Resolve& resolve);
Verdict run(UnitOfWork& work, const Redrive& redrive);
Verdict run(UnitOfWork& work, const PauseQueue& pause);

// tokens.cpp
Verdict run(UnitOfWork& work, const PutToken& put);
Verdict run(UnitOfWork& work, const RevokeToken& revoke);
Verdict run(UnitOfWork& work, const TouchToken& touch);

// sweeps.cpp
Verdict run(UnitOfWork& work, const Due& due);
Verdict run(UnitOfWork& work, const Reap& reap);
Verdict run(UnitOfWork& work, const Sweep& sweep);

// repair.cpp: puts queued jobs that stand in no ready order back, and says which.
std::vector<std::string> repair_ready(UnitOfWork& work, std::int64_t limit);

// prune.cpp
Verdict run(UnitOfWork& work, const Prune& prune);

// observation.cpp
Verdict run(UnitOfWork& work, const StartNode& start);
Verdict run(UnitOfWork& work, const SeeNode& node);
Verdict run(UnitOfWork& work, const Configure& configure);
Verdict run(UnitOfWork& work, const SeeWorkers& seen);
Verdict run(UnitOfWork& work, const RecordMinutes& record);

}  // namespace longshore::postgres
