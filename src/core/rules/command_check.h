// Validates the fields of a command, without looking at stored jobs. Every store calls this first,
// so that the rules and the stores can rely on valid commands.
#pragma once

#include <optional>

#include "longshore/command.h"
#include "longshore/rules.h"

namespace longshore {

// None if the command is valid. Otherwise Code::invalid_field and a detail that begins with the
// field's JSON name, such as "priority must be from 0 to 9"; for an Enqueue, the index tells which
// job.
std::optional<Refusal> check(const Command& command, const Rules& rules);

}  // namespace longshore
