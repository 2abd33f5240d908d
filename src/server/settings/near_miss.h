// "Did you mean": the known word that somebody most likely meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace longshore {

// How many letters have to be put in, taken out, replaced, or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, if it is near enough to be a slip: a third of the letters, and never
// more than `most`.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known,
                                        std::size_t most = 3);

// "; did you mean WORD?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace longshore
