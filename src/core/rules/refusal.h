// A refused command as an Error of the library.
#pragma once

#include "longshore/command.h"
#include "longshore/error.h"

namespace longshore {

// The same for a command refused in this process and by a server.
Errc errc_of(Code code);
Error to_error(const Refusal& refusal);

}  // namespace longshore
