// Rules as text, one `name value` a line: what a store remembers of how it was made.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longshore/rules.h"

namespace longshore {

// Equal texts mean equal rules.
std::string rules_text(const Rules& rules);
// Nothing for any text that rules_text does not write, except that lines of names it does not know
// are put into `others`. What a text leaves out, as those of older versions do, is as the profile
// says.
std::optional<Rules> parse_rules_text(std::string_view text, std::string& others);

// A back-off with the retries and the timeout, in one line.
std::string policy_text(const Policy& policy);
// Nothing for any text that policy_text does not write.
std::optional<Policy> parse_policy(std::string_view text);

}  // namespace longshore
