// Refuses commands that no store could make sense of, whatever it holds. Every store asks this
// first, so that rules and stores may rely on what is written here.
#pragma once

#include <optional>

#include "longshore/command.h"
#include "longshore/rules.h"

namespace longshore {

// Nothing if the command can be judged. Otherwise Code::invalid_field, and a detail that begins
// with the field as the wire spells it, such as "priority must be from 0 to 9"; of an Enqueue,
// the index says which job.
std::optional<Refusal> check(const Command& command, const Rules& rules);

}  // namespace longshore
