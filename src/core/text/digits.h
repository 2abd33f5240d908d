// Digits, as every text that core reads and writes spells them.
#pragma once

#include <string_view>

namespace longshore {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace longshore
