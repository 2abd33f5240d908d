// How the layers of longshore/policy.h become the one policy that belongs to a job.
#pragma once

#include <optional>
#include <span>

#include "longshore/command.h"
#include "longshore/job.h"
#include "longshore/policy.h"
#include "longshore/rules.h"

namespace longshore {

// The layers from the strongest (the job's own fields) to the weakest (its queue's), over what
// the rules say for everybody. Back-off is layered member by member.
Policy resolve_policy(std::span<const PolicyLayer> strongest_first, const Policy& rules);

// When a job that ended like this at `ended` may be pruned: type's rule > queue's > the store's.
// None: never. Either rule may be null.
std::optional<Instant> resolve_prune_after(Status ended_as, Instant ended, const TypeRule* type,
                                           const QueueRule* queue, const Retention& retention);

}  // namespace longshore
