// The path of a byte in a JSON text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longshore {

// The member or element around `offset`, such as "jobs[3].payload", with at most `levels` steps.
// The text must be valid up to there.
std::string json_place(std::string_view text, std::size_t offset, int levels);

// The string that begins at `quote`, without its quotes, escapes as written.
std::string_view json_string_at(std::string_view text, std::size_t quote);

}  // namespace longshore
