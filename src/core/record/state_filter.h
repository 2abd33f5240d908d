// Filters by state: the accepted names and the jobs that each of them matches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/catalog.h"

namespace longshore {

// Resolves one name: a state, a public status, or a state name of `profile`. If a name is both, the
// profile's meaning wins; RUNNING is the state only, and CANCELED matches every withdrawn job. None
// for other words.
std::optional<std::vector<StateMatch>> states_called(std::string_view word,
                                                     std::string_view profile);

// Resolves one or more names separated by commas. None if one of them is unknown or empty.
std::optional<std::vector<StateMatch>> read_states(std::string_view words,
                                                   std::string_view profile);

// For messages: every name that read_states accepts for this profile.
std::string state_words_text(std::string_view profile);

// The part of `states` that matches dead letters, which exclude withdrawn jobs. An empty list means
// every state.
std::vector<StateMatch> dead_letters_among(const std::vector<StateMatch>& states);
// The part that matches jobs that have not ended. An empty list means every state.
std::vector<StateMatch> live_states_among(const std::vector<StateMatch>& states);

}  // namespace longshore
