// The names of the job states in each profile; docs/states.md has the same table.
#pragma once

#include <optional>
#include <string_view>

#include "longshore/job.h"

namespace longshore {

struct ProfileWord {
  std::string_view word;
  std::optional<int> number;  // if the profile numbers its states
};

// None if the profile does not exist.
std::optional<ProfileWord> profile_word(std::string_view profile, const Job& job);
// The same for a job in this state; `started` tells whether any attempt has started.
std::optional<ProfileWord> profile_word(std::string_view profile, State state, bool started);

}  // namespace longshore
