// Bodies so large that reading them would hold up whoever shares the I/O thread.
#pragma once

#include "api/wire/route.h"

namespace longshore {

// Calls `handle` at once if the body is small, otherwise on a thread that may take its time.
void handle_body(Api& api, CallRef call, Handle handle);

}  // namespace longshore
