// Hides the arguments, environment and memory of this process from other processes.
#pragma once

namespace longshore {

// Overwrites, in place, the values of options that are secrets and passwords in URLs. Copy the
// arguments first.
void hide_secrets(int argc, char** argv);

// Copies the variables and overwrites their values in /proc/PID/environ. getenv() still returns
// them; variables that programs inherit, such as PATH, are not hidden. Call it before starting
// threads.
void hide_environment(char** variables);

// Only root can read or trace this process or its memory, and it leaves no core dump. Inherited by
// fork, not by exec.
void keep_memory_private();

}  // namespace longshore
