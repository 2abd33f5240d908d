// Builds the handlers of `longshore work` or of a server from the options and longshore.toml.
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

// Errc::invalid if a handler is invalid or there are none. Flags override the file.
Result<std::vector<NamedHandler>> work_handlers(const Settings& settings);

// All options except the worker's name. Errors outside of handlers are logged; `log` must outlive
// the worker. Errc::invalid for an invalid weight or limit.
Result<WorkerOptions> worker_options(const Settings& settings, Log& log);

}  // namespace longshore
