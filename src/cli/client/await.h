// Waits for a job to end and reports its result and exit code.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "client/http/http_client.h"

namespace longshore {

// The value of --wait; nothing if it was not given. Errc::invalid if it is not a duration.
Result<std::optional<Duration>> read_wait(const Invocation& invocation);

// Waits, then prints the job's result on standard output, or the error on standard error.
ExitCode wait_and_print(HttpClient& client, const std::string& id, Duration longest, bool json);

// Prints each event of the job on standard error, until the job ends or `longest` has passed.
// Reconnects after a disconnect. An Error unless the job ended in time.
Result<Nothing> follow_job(HttpClient& client, const std::string& id, Duration longest);

}  // namespace longshore
