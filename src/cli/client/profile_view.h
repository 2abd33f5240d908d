// What --view asks for: jobs in the fields and words of a profile, as docs/profiles.md has them.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace longshore {

// The flag, with every profile as a word of it.
Flag view_flag(std::string_view help);

// For people: "InProgress 300". `job` is one that the API tells with its state and attempt; empty
// for any other.
std::string state_in_words(std::string_view job, std::string_view profile);

}  // namespace longshore
