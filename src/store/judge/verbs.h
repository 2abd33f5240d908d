// What each command does to the jobs it names, whatever the store. Whoever calls has checked the
// command (core/command_check.h) and is inside a transaction; a Refusal has changed nothing.
#pragma once

#include "longshore/command.h"
#include "store/judge/unit.h"

namespace longshore::judge {

Verdict run_command(Unit& unit, const Command& command);

}  // namespace longshore::judge
