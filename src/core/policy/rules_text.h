// Rules as text, one `name value` per line, as stores keep them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longshore/rules.h"

namespace longshore {

// Equal texts mean equal rules.
std::string rules_text(const Rules& rules);
// None for text that rules_text does not write, except that lines with unknown names are added to
// `others`. Rules that the text omits, as older versions do, have the profile's values.
std::optional<Rules> parse_rules_text(std::string_view text, std::string& others);

// A policy in one line.
std::string policy_text(const Policy& policy);
// None for text that policy_text does not write.
std::optional<Policy> parse_policy(std::string_view text);

}  // namespace longshore
