// The way from a rule's decision to what was done, shared by all verbs.
#pragma once

#include <optional>
#include <string>

#include "core/rules/change.h"
#include "core/rules/lifecycle.h"
#include "longshore/command.h"
#include "store/judge/unit.h"

namespace longshore::judge {

Refusal no_such_job();

// Null also if the job is in another namespace.
inline Entry* find(Unit& unit, const std::string& ns, const JobId& id) {
  Entry* entry = unit.find(id);
  return entry != nullptr && entry->job().ns == ns ? entry : nullptr;
}

struct Judged {
  Verdict verdict;
  bool changed = false;
};
// Applies a Change and enqueues what it spawns; answers a Refusal or a Replay.
Judged carry_out(Unit& unit, Decision&& decision);

// Asks the rules what becomes of a job, and does it. A null job is not_found.
template <class Said>
Judged judge(Unit& unit, const Entry* entry, const Said& said) {
  if (entry == nullptr) return {.verdict = no_such_job()};
  return carry_out(unit, decide(entry->job(), said, unit.rules(), unit.now()));
}

// enqueue.cpp: applies a change and enqueues what it spawns. A spawned job's once-key makes a
// second time do nothing.
Entry& apply(Unit& unit, Change&& change);
// A job that a Redrive makes: nothing, or why not.
std::optional<Refusal> enqueue_successor(Unit& unit, const std::string& ns, const NewJob& job);

// enqueue.cpp
Verdict run(Unit& unit, const Enqueue& enqueue);
// claim.cpp
Verdict run(Unit& unit, const Claim& claim);
// settle.cpp
Verdict run(Unit& unit, const Accept& accept);
Verdict run(Unit& unit, const Heartbeat& beat);
Verdict run(Unit& unit, const Complete& complete);
Verdict run(Unit& unit, const Fail& fail);
Verdict run(Unit& unit, const Release& release);
Verdict run(Unit& unit, const HandOff& hand_off);
Verdict run(Unit& unit, const FinishByKey& finish);
// operators.cpp
Verdict run(Unit& unit, const Cancel& cancel);
Verdict run(Unit& unit, const Promote& promote);
Verdict run(Unit& unit, const Resolve& resolve);
Verdict run(Unit& unit, const Redrive& redrive);
Verdict run(Unit& unit, const PauseQueue& pause);
Verdict run(Unit& unit, const SetRules& set);
Verdict run(Unit& unit, const RecordAudit& record);
Verdict run(Unit& unit, const PutToken& put);
Verdict run(Unit& unit, const RevokeToken& revoke);
Verdict run(Unit& unit, const TouchToken& touch);
// sweeps.cpp
Verdict run(Unit& unit, const Due& due);
Verdict run(Unit& unit, const Reap& reap);
Verdict run(Unit& unit, const Sweep& sweep);
Verdict run(Unit& unit, const Prune& prune);
// observation.cpp
Verdict run(Unit& unit, const StartNode& start);
Verdict run(Unit& unit, const SeeNode& node);
Verdict run(Unit& unit, const Configure& configure);
Verdict run(Unit& unit, const SeeWorkers& seen);
Verdict run(Unit& unit, const RecordMinutes& record);

}  // namespace longshore::judge
