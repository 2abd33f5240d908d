// The clients in a storm. Each of these functions runs in its own thread.
#pragma once

#include "storm/storm_state.h"

namespace longshore::storm {

void produce(Client& client);
// A remote worker, or one inside the node's process: then its leases end with the node.
void consume(Client& client, bool inside);
// An operator, in a wide storm: pauses, settles, redrives and cancels jobs of others, and changes
// the configuration. Resumes every queue when it has finished.
void operate(Client& client);
void sweep(Client& client);

// Closes a node's store and opens it again, like a process that was killed and restarted: with the
// same id, and with the leases of its own workers still active.
void restart_node(StormState& state, StormNode& node);

// Limits everywhere, and a short retention in one queue.
Configure some_limits(const StormOptions& options, Random& random);

}  // namespace longshore::storm
