// Direct access to a store that no server uses, for commands.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/policy/rule_table.h"
#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"
#include "server/settings/settings.h"

namespace longshore {

// Whether the option is set by a flag, an environment variable or a file.
bool is_given(const Settings& settings, std::string_view option);

// Whether to use the server: it is set, and no flag sets a store.
bool prefers_server(const Settings& settings);

// One open store without an engine: nothing is promoted, reaped or recovered.
struct OfflineStore {
  SystemClock clock;
  Rules rules;                            // of the store
  std::vector<RuleDifference> conflicts;  // how the configured rules differ
  std::unique_ptr<Backend> backend;
};

// Opens the store of the settings, which must exist: Errc::not_found for a missing file,
// Errc::refused for a memory: store or one that another process holds. Detects the profile of the
// store unless it is set.
Result<std::unique_ptr<OfflineStore>> open_offline_store(const Settings& settings);

}  // namespace longshore
