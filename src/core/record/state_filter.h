// The words by which states are asked for, and the jobs that each of them means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/catalog.h"

namespace longshore {

// What one word means: a state of ours, a public status, or a word that `profile` has for states.
// A word that the profile and we both have means what the profile says; RUNNING is the state alone,
// and CANCELED finds every withdrawn job. Nothing if the word is none of these.
std::optional<std::vector<StateMatch>> states_called(std::string_view word,
                                                     std::string_view profile);

// What one or more words mean, apart by commas. Nothing if one of them is unknown or empty.
std::optional<std::vector<StateMatch>> read_states(std::string_view words,
                                                   std::string_view profile);

// For people: every word that read_states takes for this profile.
std::string state_words_text(std::string_view profile);

// Those of `states` that mean dead letters, which a withdrawn job is not; of an empty list, all of
// them. Empty if none of them does.
std::vector<StateMatch> dead_letters_among(const std::vector<StateMatch>& states);
// Those that mean jobs that have not ended; of an empty list, all of them.
std::vector<StateMatch> live_states_among(const std::vector<StateMatch>& states);

}  // namespace longshore
