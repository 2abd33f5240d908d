// What a refused command means to a caller of the library.
#pragma once

#include "longshore/command.h"
#include "longshore/error.h"

namespace longshore {

// The same wherever the command was refused, in this process or by a server.
Errc errc_of(Code code);
Error to_error(const Refusal& refusal);

}  // namespace longshore
