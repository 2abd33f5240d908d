// Converts a JobRequest to the NewJob of a command, and validates it.
#pragma once

#include "longshore/client.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/open.h"
#include "longshore/policy.h"

namespace longshore {

// Errc::invalid with the contract's code; the message begins with the field.
Result<NewJob> new_job(JobRequest request, const JobId& id, const OpenOptions& options,
                       const Rules& rules);

// The job's own policy over that of its type, its queue and the rules.
Policy policy_for(const std::string& type, const std::string& queue, const PolicyLayer& own,
                  const OpenOptions& options, const Rules& rules);

// Equal for two requests for the same job. Includes everything except ids and the idempotency key;
// of the policy, only what the request itself sets.
std::uint64_t request_hash(const NewJob& job, const PolicyLayer& own);

}  // namespace longshore
