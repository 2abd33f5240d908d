// What other processes may learn from this one: its environment and its memory, as /proc shows
// them.
#pragma once

namespace longshore {

// Moves the variables elsewhere and overwrites their values where the system shows them
// (/proc/PID/environ). This process finds them as before; PATH and the like stay where they are.
// Call it before there are threads.
void hide_environment(char** variables);

// Lets no process but root's read the memory and the environment of this one, or trace it, or find
// it in a core dump. What it forks is kept from others too, what it executes is not.
void keep_memory_private();

}  // namespace longshore
