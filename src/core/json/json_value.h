// What the slices of a scanned JSON text mean, and how text is written into JSON.
//
// The readers take slices as a scan answers them; of a slice made by hand they promise only not
// to read outside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/json_scan.h"

namespace longshore {

// Each answers nothing if the slice is of another kind.

// Unescaped, in UTF-8. May hold zero bytes.
std::optional<std::string> json_string(const JsonSlice& slice);

std::optional<bool> json_boolean(const JsonSlice& slice);

// The number if it is whole and fits, however it is written: 3, 3.0, 30e-1 and 0.03e2 are all 3.
// Exact: no detour over floating point.
std::optional<std::int64_t> json_integer(const JsonSlice& slice);

// The nearest double, always finite. Nothing beyond the range of a double, at either end.
std::optional<double> json_number(const JsonSlice& slice);

// A member's name, unescaped.
std::string json_name(const JsonMember& member);

// The same as json_name(member) == name, but without a copy for the names people write.
bool is_named(const JsonMember& member, std::string_view name);

// Appends `text`, which must be UTF-8, as a JSON string with its quotes. Escapes only what must
// be: quotes, backslashes and control characters.
void append_json_string(std::string& out, std::string_view text);

}  // namespace longshore
