// What a worker says and hears, as the API's JSON.
#pragma once

#include <string>
#include <vector>

#include "client/http/http_client.h"
#include "longshore/command.h"
#include "longshore/error.h"

namespace longshore {

// How a claim is asked for. `worker` may be null.
HttpCall call_for(const Claim& claim, Duration wait, const WorkerInfo* worker);
// Errc::unavailable, overloaded or refused if the answer is no lease.
Result<std::vector<Lease>> read_leases(const HttpReply& reply);

// How a word is said by itself. REQUIRES: is_spoken(word).
HttpCall call_for(const Command& word);
// A heartbeat or a settlement: anything else is not said over the network.
bool is_spoken(const Command& word);
// Errc::unavailable or overloaded if the server did not judge it.
Result<Verdict> read_verdict(const Command& word, const HttpReply& reply);

// Whether many such words can be said at once.
bool fits_batch(const Command& word);
HttpCall call_for_batch(const std::vector<const Command*>& words);
Result<std::vector<Verdict>> read_verdicts(const HttpReply& reply, std::size_t count);

// What a problem document says: the refusal, with the contract's code, or none if it holds none.
std::optional<Refusal> read_problem(const HttpReply& reply);
// The answer was not what was asked for: with its code, and for whom it is to read.
Error error_of(const HttpReply& reply);

std::optional<Code> parse_code(std::string_view text);
std::optional<Status> parse_status(std::string_view text);

}  // namespace longshore
