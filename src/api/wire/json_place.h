// Where in a JSON text a byte lies, in the words of the one who wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longshore {

// The member or element around `offset`, such as "jobs[3].payload", with at most `levels` steps.
// The text must be sound up to there.
std::string json_place(std::string_view text, std::size_t offset, int levels);

// What is between the quotes of the string that begins at `quote`, escapes as written.
std::string_view json_string_at(std::string_view text, std::size_t quote);

}  // namespace longshore
