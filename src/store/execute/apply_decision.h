// The way from a rule's decision to what was done, shared by all verbs.
#pragma once

#include <optional>
#include <string>

#include "core/rules/change.h"
#include "core/rules/lifecycle.h"
#include "longshore/command.h"
#include "store/execute/transaction.h"

namespace longshore::execute {

Refusal no_such_job();

// Null also if the job is in another namespace.
inline Entry* find(Transaction& tx, const std::string& ns, const JobId& id) {
  Entry* entry = tx.find(id);
  return entry != nullptr && entry->job().ns == ns ? entry : nullptr;
}

struct Executed {
  Verdict verdict;
  bool changed = false;
};
// Applies a Change and enqueues what it spawns; answers a Refusal or a Replay.
Executed apply_decision(Transaction& tx, Decision&& decision);

// Asks the rules what becomes of a job, and does it. A null job is not_found.
template <class Said>
Executed decide_and_apply(Transaction& tx, const Entry* entry, const Said& said) {
  if (entry == nullptr) return {.verdict = no_such_job()};
  return apply_decision(tx, decide(entry->job(), said, tx.rules(), tx.now()));
}

// enqueue.cpp: applies a change and enqueues what it spawns. A spawned job's once-key makes a
// second time do nothing.
Entry& apply(Transaction& tx, Change&& change);
// A job that a Redrive makes: nothing, or why not.
std::optional<Refusal> enqueue_successor(Transaction& tx, const std::string& ns, const NewJob& job);

// enqueue.cpp
Verdict run(Transaction& tx, const Enqueue& enqueue);
// claim.cpp
Verdict run(Transaction& tx, const Claim& claim);
// settle.cpp
Verdict run(Transaction& tx, const Accept& accept);
Verdict run(Transaction& tx, const Heartbeat& beat);
Verdict run(Transaction& tx, const Complete& complete);
Verdict run(Transaction& tx, const Fail& fail);
Verdict run(Transaction& tx, const Release& release);
Verdict run(Transaction& tx, const HandOff& hand_off);
Verdict run(Transaction& tx, const FinishByKey& finish);
// operators.cpp
Verdict run(Transaction& tx, const Cancel& cancel);
Verdict run(Transaction& tx, const Promote& promote);
Verdict run(Transaction& tx, const Resolve& resolve);
Verdict run(Transaction& tx, const Redrive& redrive);
Verdict run(Transaction& tx, const PauseQueue& pause);
Verdict run(Transaction& tx, const SetRules& set);
Verdict run(Transaction& tx, const RecordAudit& record);
Verdict run(Transaction& tx, const PutToken& put);
Verdict run(Transaction& tx, const RevokeToken& revoke);
Verdict run(Transaction& tx, const TouchToken& touch);
// sweeps.cpp
Verdict run(Transaction& tx, const Due& due);
Verdict run(Transaction& tx, const Reap& reap);
Verdict run(Transaction& tx, const Sweep& sweep);
Verdict run(Transaction& tx, const Prune& prune);
// observation.cpp
Verdict run(Transaction& tx, const StartNode& start);
Verdict run(Transaction& tx, const SeeNode& node);
Verdict run(Transaction& tx, const Configure& configure);
Verdict run(Transaction& tx, const SeeWorkers& seen);
Verdict run(Transaction& tx, const RecordMinutes& record);

}  // namespace longshore::execute
