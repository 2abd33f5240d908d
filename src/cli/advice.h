// Suggestions for mistyped commands, flags and values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace longshore {

// A message for a command line that failed to parse; empty if the parser's own message is better.
std::string advice(const std::vector<std::string>& words);

// Matches `value` in any letter case; Errc::invalid lists all words and suggests the nearest.
Result<std::string> known_word(std::string_view name, const std::string& value,
                               const std::vector<std::string_view>& words);

// The command that these words begin with; null if none.
const CliCommand* command_of(const std::vector<std::string>& words);

}  // namespace longshore
