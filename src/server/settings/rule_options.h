// The options that are rules: one for each row by which profiles differ. Unset, the profile's value
// holds; so a profile is nothing but a set of values, and anybody may make another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/rules.h"
#include "server/settings/option.h"
#include "server/settings/settings.h"

namespace longshore {

// Their rows of the table of options, named "rules.…".
const std::vector<Option>& rule_options();

// The rules of the profile that is set, with what else is set in their place. Errc::invalid for
// rules that contradict each other.
Result<Rules> rules_of(const Settings& settings);

// Those of them that are set, by the names and with the values of core/policy/rule_table.h.
std::map<std::string, std::string> configured_rules(const Settings& settings);

}  // namespace longshore
