// Resolves the layers of longshore/policy.h to the policy of a job.
#pragma once

#include <optional>
#include <span>

#include "longshore/command.h"
#include "longshore/job.h"
#include "longshore/policy.h"
#include "longshore/rules.h"

namespace longshore {

// Applies the layers, from the strongest (the job's own fields) to the weakest (its queue's), over
// the store's rules. The members of the back-off are layered one by one.
Policy resolve_policy(std::span<const PolicyLayer> strongest_first, const Policy& rules);

// When a job that ended with this status at `ended` can be pruned, by the rule of its type, else of
// its queue, else of the store. None: never. Either rule may be null.
std::optional<Instant> resolve_prune_after(Status ended_as, Instant ended, const TypeRule* type,
                                           const QueueRule* queue, const Retention& retention);

}  // namespace longshore
