// Rules that the checker cannot check, because it does not know the injected faults.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checker/history.h"
#include "longshore/rules.h"

namespace longshore::sim {

// A lease granted at `from` or later was ended by its worker, not by silence of the worker.
void check_quiet_leases(const checker::History& history, Instant from,
                        std::vector<std::string>& complaints);

// Jobs of a node's own workers were recovered when the node restarted, if the rules say so, without
// waiting for the lease to expire. `starts` are names and times of the store.
void check_taken_back(const checker::History& history, const Rules& rules,
                      const std::vector<std::pair<std::string, Instant>>& starts,
                      std::vector<std::string>& complaints);

}  // namespace longshore::sim
