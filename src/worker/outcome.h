// Converts the ending that a handler returned into commands for the store.
#pragma once

#include <vector>

#include "longshore/command.h"
#include "longshore/context.h"
#include "worker/attempt.h"

namespace longshore {

// In the order in which to send them; the last one settles the attempt. An ending that no store
// would accept becomes a failure that says why. Takes the attempt's pending log.
std::vector<Command> settling_commands(Attempt& attempt, Ending ending);

// Replaces a hand-off that the store's profile does not allow. Fails the job for good: another
// attempt would end the same way and repeat the handler's side effects.
Command fail_instead(const HandOff& refused, const Refusal& refusal);

}  // namespace longshore
