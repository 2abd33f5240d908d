// Who is at work in a storm. Each of these runs on a thread of its own.
#pragma once

#include "storm/world.h"

namespace longshore::storm {

void produce(Client& client);
// From outside, or inside the node's own process: then what it holds dies with the node.
void consume(Client& client, bool inside);
// An operator, in a wide storm: pauses, settles, repeats and cancels what others made, and changes
// what is configured. Every queue goes on when it has finished.
void oversee(Client& client);
void sweep(Client& client);

// Closes a node's store and opens it again, as a process that was killed and started: under the
// same id, with whatever its own workers held still leased to them.
void restart_node(World& world, StormNode& node);

// Limits everywhere, and a retention that is soon over in one queue.
Configure some_limits(const StormOptions& options, Random& random);

}  // namespace longshore::storm
