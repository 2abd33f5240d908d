// What --view asks for: a job's state in the words of a profile, as docs/states.md has them.
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

// The same JSON object with its state in those words and, where the profile counts its states,
// `stateNumber`: the members of GET /jobs/{id}/details?view=PROFILE.
std::string job_in_words(const std::string& job, std::string_view profile);

}  // namespace longshore
