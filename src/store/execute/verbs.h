// What each command does to the jobs it names, whatever the store. Whoever calls has checked the
// command (core/rules/command_check.h) and is inside a transaction; a Refusal has changed nothing.
#pragma once

#include <vector>

#include "longshore/command.h"
#include "store/execute/transaction.h"

namespace longshore::execute {

Verdict run_command(Transaction& tx, const Command& command);

// The store's time went forward by so much though no time passed: what these jobs' workers were
// promised moves along.
void move_leases(Transaction& tx, const std::vector<JobId>& held, Duration by);

}  // namespace longshore::execute
