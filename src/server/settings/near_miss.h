// "Did you mean" suggestions for misspelled words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace longshore {

// The number of insertions, deletions, replacements and swaps of adjacent characters.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, if its distance is at most a third of the length of `word` and at most
// `most`.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known,
                                        std::size_t most = 3);

// "; did you mean WORD?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace longshore
