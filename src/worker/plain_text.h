// Sanitizes text from handlers and exceptions for storage: valid UTF-8 without zero bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longshore {

// Invalid bytes become U+FFFD. Text longer than `bytes_max` is cut between characters.
std::string plain_text(std::string_view text, std::size_t bytes_max = std::string::npos);

}  // namespace longshore
