// Commands that work on a store directly, where no server has it.
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

// Somebody set the option: a flag, a variable or a file.
bool is_given(const Settings& settings, std::string_view option);

// Which of the two was meant: a server that was named, unless a flag names a store.
bool prefers_server(const Settings& settings);

// One open store without an engine: nothing is promoted, reaped or recovered.
struct StoppedStore {
  SystemClock clock;
  Rules rules;                            // the store's own
  std::vector<RuleDifference> conflicts;  // how those asked for differ
  std::unique_ptr<Backend> backend;
};

// The store that the settings name, which has to exist: Errc::not_found for a file that is not
// there, Errc::refused for a store that no two processes can see, or that another holds. Finds the
// profile it was made with, unless that was given.
Result<std::unique_ptr<StoppedStore>> open_stopped_store(const Settings& settings);

}  // namespace longshore
