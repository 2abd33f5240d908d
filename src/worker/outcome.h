// From what a handler answered to what the store is told.
#pragma once

#include <vector>

#include "longshore/command.h"
#include "longshore/context.h"
#include "worker/attempt.h"

namespace longshore {

// In the order in which they are to be said; the last one settles the attempt. An ending that no
// store would accept becomes a failure that says why. Takes the attempt's log along.
std::vector<Command> last_words(Attempt& attempt, Ending ending);

// For a hand-off that the store's profile does not allow. Fails the job for good: another attempt
// would end the same way, and would repeat what the handler has already asked of others.
Command fail_instead(const HandOff& refused, const Refusal& refusal);

}  // namespace longshore
