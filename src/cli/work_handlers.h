// The handlers that `longshore work` runs, from its options and longshore.toml.
#pragma once

#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/worker.h"
#include "server/settings.h"

namespace longshore {

struct NamedHandler {
  std::string type;
  Handler handler;
  HandlerOptions options;
};

// Errc::invalid if one of them cannot run, or if there are none. A flag wins over the file.
Result<std::vector<NamedHandler>> work_handlers(const Settings& settings);

// Errc::invalid for a weight or a limit that is none.
Result<std::vector<QueueOptions>> work_queues(const Settings& settings);

}  // namespace longshore
