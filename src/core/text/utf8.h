// UTF-8 as RFC 3629 allows it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace longshore {

// How many bytes, 1 to 4, the character at the front of `text` takes; 0 if it is not sound, or if
// there is none.
std::size_t utf8_front(std::string_view text);

// How many characters (code points) `text` has. Nothing if it is not sound throughout.
std::optional<std::size_t> utf8_length(std::string_view text);

// The front of `text`, no more than so many characters; a byte that is no part of one counts too.
std::string_view first_characters(std::string_view text, std::size_t most);

// REQUIRES: `character` is no surrogate and at most U+10FFFF.
void append_utf8(std::string& out, char32_t character);

}  // namespace longshore
