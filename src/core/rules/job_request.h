// Validates a JobRequest before it is sent to a store in this process or to a server.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "longshore/client.h"
#include "longshore/error.h"

namespace longshore {

// None if the request is valid. Otherwise Errc::invalid with the contract's code; the message
// begins with the field.
std::optional<Error> job_request_fault(const JobRequest& request);

// The metadata as a JSON object; empty if there is none. Errc::invalid if it exceeds its limits or
// is not UTF-8.
Result<std::string> metadata_json(const std::map<std::string, std::string>& metadata);

}  // namespace longshore
