// Converts commands and verdicts to history records, for harnesses that call a Store directly.
#pragma once

#include "checker/history.h"
#include "longshore/command.h"
#include "longshore/job.h"

namespace longshore::checker {

Call call_of(const Command& command);

// REQUIRES: not a Refusal.
Answer answer_of(const Verdict& verdict);

// The rules of a configuration, one after the other.
std::vector<RuleSet> rule_sets(const Configure& command);

View view_of(const JobRecord& record);
JobDump dump_of(const JobRecord& record);

}  // namespace longshore::checker
