// The flag --view: shows jobs with the fields and terms of a profile; see docs/profiles.md.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace longshore {

// The flag, with all profiles as choices.
Flag view_flag(std::string_view help);

// The state in the profile's terms: "InProgress 300". Empty if `job` has no state and attempt, as
// in the public part of the API.
std::string state_in_words(std::string_view job, std::string_view profile);

}  // namespace longshore
