// UTF-8 as RFC 3629 allows it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace longshore {

// The length in bytes, 1 to 4, of the character at the front of `text`; 0 if it is invalid or
// `text` is empty.
std::size_t utf8_front(std::string_view text);

// The number of characters (code points) of `text`. None if it is not valid UTF-8.
std::optional<std::size_t> utf8_length(std::string_view text);

// At most `most` characters from the front of `text`; an invalid byte counts as one character.
std::string_view first_characters(std::string_view text, std::size_t most);

// REQUIRES: `character` is not a surrogate and at most U+10FFFF.
void append_utf8(std::string& out, char32_t character);

}  // namespace longshore
