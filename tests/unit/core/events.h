// The events of lifecycle_table.txt, and the rules it is asked under.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/rules/change.h"
#include "longshore/rules.h"
#include "unit/core/situations.h"

namespace longshore {

struct Event {
  std::string name;
  bool has_asker = true;  // false for events of the clock, which have no answer
  std::function<Decision(const Situation&, const Rules&)> happens;
};
std::vector<Event> events();

// The native rules, each option changed alone, and every profile.
std::vector<Rules> rule_sets();

// The options as the table names them: {"cancel", "direct"}, {"terminal", "fixed"}, ...
std::map<std::string, std::string> options_of(const Rules& rules);

}  // namespace longshore
