// A Step is one command at work: the disk it may change, the moment it is judged at, and what
// the world hears of it afterwards. Every verb is a function of a Step and its command; the
// caller holds the store's mutex, and throws the Step's news away when the command is refused.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/rules/change.h"
#include "core/rules/lifecycle.h"
#include "longshore/command.h"
#include "longshore/rules.h"
#include "longshore/store.h"
#include "store/memory/disk.h"
#include "store/memory/tables.h"

namespace longshore::memory {

struct Step {
  MemoryDisk& disk;
  const Rules& rules;
  const Instant now;
  const Instant prune_by = now;  // what is old enough by this time may go
  std::vector<JobEvent> events;
  std::set<MemoryDisk::Scoped> worth_a_look;  // queues in which something became eligible
};

Refusal no_such_job();

// Does what the rules decided, whole: the job, its record's other parts, its logs, every index
// and count, the error groups, and the job that it spawns.
void apply(Step& step, Change change);

struct Executed {
  Verdict verdict;
  bool changed = false;
};
// Applies a Change; answers a Refusal or a Replay.
Executed apply_decision(Step& step, Decision decision);

// Asks the rules what becomes of a job, and does it. A null job is not_found.
template <class Said>
Executed decide_and_apply(Step& step, const StoredJob* stored, const Said& said) {
  if (stored == nullptr) return {.verdict = no_such_job()};
  return apply_decision(step, decide(stored->record.job, said, step.rules, step.now));
}

void record_audit(Step& step, const Actor& actor, const std::string& ns, const std::string& action,
                  const std::string& target);

}  // namespace longshore::memory
