// Runs a server until it is asked to stop.
#pragma once

#include "longshore/error.h"
#include "server/report/log.h"
#include "server/settings/settings.h"

namespace longshore {

// Serves until SIGTERM or SIGINT, then shuts down gracefully within ten seconds; a second signal
// ends the process at once. SIGHUP reloads the TLS files. Returns Errc::corrupt if the store
// failed, after which the process must end. Call it before starting other threads.
Result<Nothing> run_server(const Settings& settings, Log& log);

}  // namespace longshore
