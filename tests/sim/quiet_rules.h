// What the checker cannot ask for, because it does not know who was disturbed and when.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checker/history.h"
#include "longshore/rules.h"

namespace longshore::sim {

// A lease that was given out at `from` or later ended because its worker said so, not because
// the worker was never heard of again.
void check_quiet_leases(const checker::History& history, Instant from,
                        std::vector<std::string>& complaints);

// What a node's own worker held when the node died was taken back when it started again, where
// the rules say so: the lease did not have to run out. `starts` are names and the store's times.
void check_taken_back(const checker::History& history, const Rules& rules,
                      const std::vector<std::pair<std::string, Instant>>& starts,
                      std::vector<std::string>& complaints);

}  // namespace longshore::sim
