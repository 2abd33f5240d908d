// A server from the command to its end.
#pragma once

#include "longshore/error.h"
#include "server/report/log.h"
#include "server/settings/settings.h"

namespace longshore {

// Serves until SIGTERM or SIGINT, and then ends in good order within ten seconds; a second signal
// ends it at once. SIGHUP reads the TLS files again. Errc::corrupt, after which the process must
// end, if the store failed. Call it before the process has other threads.
Result<Nothing> run_server(const Settings& settings, Log& log);

}  // namespace longshore
