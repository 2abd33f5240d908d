// The handlers that `longshore work` runs, or a server itself, from the options and longshore.toml.
#pragma once

#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/worker.h"
#include "server/report/log.h"
#include "server/settings/settings.h"

namespace longshore {

struct NamedHandler {
  std::string type;
  Handler handler;
  HandlerOptions options;
};

// Errc::invalid if one of them cannot run, or if there are none. A flag wins over the file.
Result<std::vector<NamedHandler>> work_handlers(const Settings& settings);

// All but the worker's name. What goes wrong outside of handlers is logged; `log` must outlive the
// worker. Errc::invalid for a weight or a limit that is none.
Result<WorkerOptions> worker_options(const Settings& settings, Log& log);

}  // namespace longshore
