// Confirmation before an action on many jobs.
#pragma once

#include <string>

#include "cli/command.h"

namespace longshore {

// True with --yes. On a terminal, prints `question` and returns whether the user answers yes.
// Otherwise Errc::refused with advice to use --yes.
Result<bool> confirm(const Invocation& invocation, const std::string& question);

// Adds --yes and --dry-run.
std::vector<Flag> with_confirm_flags(std::vector<Flag> others);

}  // namespace longshore
