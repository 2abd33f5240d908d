// From what a caller asks for to the command that a store is sent. Everything that can be wrong
// with a request by itself is found here.
#pragma once

#include "longshore/client.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/open.h"

namespace longshore {

// Errc::invalid, with the field in the message and the contract's code beside it.
Result<NewJob> new_job(JobRequest request, const JobId& id, const OpenOptions& options,
                       const Rules& rules);

}  // namespace longshore
