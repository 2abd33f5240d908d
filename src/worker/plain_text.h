// Text from handlers and exceptions, made fit to be stored: UTF-8 without zero bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longshore {

// What is not sound becomes U+FFFD; what is longer than `bytes_max` is cut between characters.
std::string plain_text(std::string_view text, std::size_t bytes_max = std::string::npos);

}  // namespace longshore
