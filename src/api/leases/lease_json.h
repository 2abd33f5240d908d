// Leases and workers in JSON.
#pragma once

#include <string>
#include <vector>

#include "api/wire/fields.h"
#include "api/wire/json_out.h"
#include "longshore/catalog.h"
#include "longshore/command.h"

namespace longshore {

// A lease as a worker reads it.
void write_lease(JsonOut& out, const Lease& lease);

// The required leaseToken. A malformed one becomes a token that holds nothing: the store refuses it
// after it has looked for the job.
LeaseToken read_lease_token(Fields& fields);

// workers.cpp
std::string workers_json(const std::vector<WorkerView>& workers);

}  // namespace longshore
