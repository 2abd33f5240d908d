// Before something is done to many jobs: show how many, and ask.
#pragma once

#include <string>

#include "cli/command.h"

namespace longshore {

// Whether to go on. With --yes, yes; on a terminal whoever sits there is asked `question` and has
// to answer yes; otherwise Errc::refused, and the message says to give --yes.
Result<bool> confirm(const Invocation& invocation, const std::string& question);

// --yes and --dry-run.
std::vector<Flag> with_confirm_flags(std::vector<Flag> others);

}  // namespace longshore
