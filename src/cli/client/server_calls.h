// What commands say to a server, and how they show its answers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "client/http/http_client.h"

namespace longshore {

// By the options server, token, token-file and ca-cert.
Result<std::shared_ptr<HttpClient>> connect(const Settings& settings);

// The reply to a call that succeeded; an Error with the server's own words otherwise.
Result<HttpReply> ask(HttpClient& client, const HttpCall& call);

// A member of a JSON object: a string as it reads, anything else as its JSON; empty if absent.
std::string member_of(std::string_view json, std::string_view name);

// Waits for the job to end, as long as `longest`. Answers the job as GET /jobs/{id} does.
Result<std::string> wait_for_job(HttpClient& client, const std::string& id, Duration longest);

// The exit code that tells how an awaited job ended: done, job_failed, or failed if it has not.
ExitCode exit_code_of_job(std::string_view job);

}  // namespace longshore
