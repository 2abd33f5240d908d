// Reads the values of a scanned JSON text, and writes JSON strings.
//
// The readers expect slices that a scan returned. For other slices they only promise not to read
// outside of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/json_scan.h"

namespace longshore {

// Each returns none if the slice is of another kind.

// Unescaped UTF-8. May contain zero bytes.
std::optional<std::string> json_string(const JsonSlice& slice);

std::optional<bool> json_boolean(const JsonSlice& slice);

// The number if it is an integer that fits, in any notation: 3, 3.0, 30e-1 and 0.03e2 are all 3.
// Exact: does not use floating point.
std::optional<std::int64_t> json_integer(const JsonSlice& slice);

// The nearest double, always finite. None beyond the range of a double.
std::optional<double> json_number(const JsonSlice& slice);

// A member's name, unescaped.
std::string json_name(const JsonMember& member);

// The same as json_name(member) == name, without a copy for names without escapes.
bool is_named(const JsonMember& member, std::string_view name);

// Appends `text`, which must be UTF-8, as a JSON string with its quotes. Escapes only
// quotes, backslashes and control characters.
void append_json_string(std::string& out, std::string_view text);

}  // namespace longshore
