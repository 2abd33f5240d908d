// What can be wrong with a job that a program asks for, found before it is sent anywhere: to a
// store of this process or to a server.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "longshore/client.h"
#include "longshore/error.h"

namespace longshore {

// Errc::invalid, with the field in the message and the contract's code beside it.
std::optional<Error> job_request_fault(const JobRequest& request);

// As a JSON object; empty if there is none. Errc::invalid for what is too much or no text.
Result<std::string> metadata_json(const std::map<std::string, std::string>& metadata);

}  // namespace longshore
