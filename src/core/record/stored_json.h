// Validation of JSON that is stored: payloads, results and checkpoints. It must be well formed, not
// nested too deeply, and within its size limit.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/rules/limits.h"
#include "longshore/error.h"

namespace longshore {

// None if `json` can be stored. Otherwise Errc::invalid with the contract's code; the message
// begins with `name` and gives the position.
std::optional<Error> stored_json_fault(std::string_view name, std::string_view json,
                                       std::size_t bytes_max);

}  // namespace longshore
