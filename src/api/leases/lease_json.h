// A lease as a worker reads it.
#pragma once

#include "api/wire/json_out.h"
#include "longshore/command.h"

namespace longshore {

void write_lease(JsonOut& out, const Lease& lease);

}  // namespace longshore
