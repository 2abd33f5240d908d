// Secrets on the command line can be read by every user of the machine, in the list of processes.
#pragma once

namespace longshore {

// Overwrites, in place, the values of options that hold secrets and the password of a store's URL.
// The options must have been copied before.
void hide_secrets(int argc, char** argv);

}  // namespace longshore
