// How the profiles call the states of a job: docs/states.md has the same table for people.
#pragma once

#include <optional>
#include <string_view>

#include "longshore/job.h"

namespace longshore {

struct ProfileWord {
  std::string_view word;
  std::optional<int> number;  // where the profile counts its states
};

// Nothing if there is no such profile.
std::optional<ProfileWord> profile_word(std::string_view profile, const Job& job);
// The same for a job in this state; `started` says whether any attempt of it has started.
std::optional<ProfileWord> profile_word(std::string_view profile, State state, bool started);

}  // namespace longshore
