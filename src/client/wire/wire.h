// A worker's commands and their verdicts in the API's JSON.
#pragma once

#include <string>
#include <vector>

#include "client/http/http_client.h"
#include "longshore/command.h"
#include "longshore/error.h"

namespace longshore {

// The request for a claim. `worker` may be null.
HttpCall call_for(const Claim& claim, Duration wait, const WorkerInfo* worker);
// Errc::unavailable, overloaded or refused if the response contains no leases.
Result<std::vector<Lease>> read_leases(const HttpReply& reply);

// The request for a single command. REQUIRES: is_worker_command(command).
HttpCall call_for(const Command& command);
// A heartbeat or a settlement; other commands are not sent over the network.
bool is_worker_command(const Command& command);
// Errc::unavailable or overloaded if the server did not process it.
Result<Verdict> read_verdict(const Command& command, const HttpReply& reply);

// Whether the batch route accepts this command.
bool fits_batch(const Command& command);
HttpCall call_for_batch(const std::vector<const Command*>& commands);
Result<std::vector<Verdict>> read_verdicts(const HttpReply& reply, std::size_t count);

// The refusal in a problem document, with the contract's code; nothing if there is none.
std::optional<Refusal> read_problem(const HttpReply& reply);
// The Error for a response that is not a success.
Error error_of(const HttpReply& reply);

std::optional<Code> parse_code(std::string_view text);
std::optional<Status> parse_status(std::string_view text);

}  // namespace longshore
