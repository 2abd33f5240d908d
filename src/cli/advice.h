// What somebody most likely meant who mistyped a command, a flag or a word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace longshore {

// For a command line that could not be read; empty if nothing better is known than what the parser
// says.
std::string advice(const std::vector<std::string>& words);

// The known word in any letter case; Errc::invalid with all of them, and the nearest.
Result<std::string> known_word(std::string_view name, const std::string& value,
                               const std::vector<std::string_view>& words);

// Which command these words begin with; null if none.
const CliCommand* command_of(const std::vector<std::string>& words);

}  // namespace longshore
