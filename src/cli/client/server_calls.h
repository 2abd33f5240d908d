// Requests that commands send to a server.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "client/http/http_client.h"

namespace longshore {

// A client for the options server, token, token-file and ca-cert.
Result<std::shared_ptr<HttpClient>> connect(const Settings& settings);

// The reply if its status is 2xx; otherwise an Error with the server's message.
Result<HttpReply> call_api(HttpClient& client, const HttpCall& call);

// A member of a JSON object: a decoded string, or the JSON text of any other value; empty if
// absent.
std::string member_of(std::string_view json, std::string_view name);

// Waits at most `longest` for the job to end. Returns the body of GET /jobs/{id}.
Result<std::string> wait_for_job(HttpClient& client, const std::string& id, Duration longest);

// The exit code for an awaited job: done, job_failed, or failed if it has not ended.
ExitCode exit_code_of_job(std::string_view job);

}  // namespace longshore
