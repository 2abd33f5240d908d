// From what a caller asks for to the command that a store is sent. Everything that can be wrong
// with a request by itself is found here.
#pragma once

#include "longshore/client.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/open.h"
#include "longshore/policy.h"

namespace longshore {

// Errc::invalid, with the field in the message and the contract's code beside it.
Result<NewJob> new_job(JobRequest request, const JobId& id, const OpenOptions& options,
                       const Rules& rules);

// What the job says itself, over what its type, its queue and the rules say.
Policy policy_for(const std::string& type, const std::string& queue, const PolicyLayer& own,
                  const OpenOptions& options, const Rules& rules);

// Equal for two requests that ask for the same job: everything but ids and keys is in it, the
// policy as the job itself asked for it.
std::uint64_t request_hash(const NewJob& job, const PolicyLayer& own);

}  // namespace longshore
