// Waiting for a job's end, and telling how it ended: with its result, and with the exit code.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "client/http/http_client.h"

namespace longshore {

// How long --wait says to; nothing if it was not given. Errc::invalid for what is no duration.
Result<std::optional<Duration>> read_wait(const Invocation& invocation);

// Waits, then prints the job's result on standard output, or the error on standard error.
ExitCode wait_and_print(HttpClient& client, const std::string& id, Duration longest, bool json);

// Prints each step of the job on standard error as it happens, until it ends or so much time has
// passed. Reconnects where it was cut off. Anything but a job that ended in time is an Error.
Result<Nothing> follow_job(HttpClient& client, const std::string& id, Duration longest);

}  // namespace longshore
