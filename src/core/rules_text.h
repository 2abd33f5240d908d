// Rules as text, one `name value` a line: what a store remembers of how it was made.
#pragma once

#include <string>
#include <utility>

#include "longshore/rules.h"

namespace longshore {

// Equal texts mean equal rules.
std::string rules_text(const Rules& rules);

// The first line in which two such texts differ, from each.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b);

// A back-off with the retries and the timeout, in one line.
std::string policy_text(const Policy& policy);
// Nothing for any text that policy_text does not write.
std::optional<Policy> parse_policy(std::string_view text);

}  // namespace longshore
