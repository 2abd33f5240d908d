// The options that override single rules of the profile. A profile is a set of default values for
// them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/rules.h"
#include "server/settings/option.h"
#include "server/settings/settings.h"

namespace longshore {

// Rows of the table of options, named "rules.…".
const std::vector<Option>& rule_options();

// The rules of the profile with the overrides applied. Errc::invalid for contradictory rules.
Result<Rules> rules_of(const Settings& settings);

// The overrides that are set, with the names and values of core/policy/rule_table.h.
std::map<std::string, std::string> configured_rules(const Settings& settings);

}  // namespace longshore
