// What may be kept as JSON: payloads, results and checkpoints, each sound, not too deep, and no
// larger than the contract allows.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "longshore/error.h"

namespace longshore {

inline constexpr std::size_t payload_bytes_max = 1024 * 1024;
inline constexpr std::size_t result_bytes_max = 1024 * 1024;
inline constexpr std::size_t checkpoint_bytes_max = 256 * 1024;

// Errc::invalid, with the contract's code, if `json` may not be kept: a message that begins with
// `name` and says where.
std::optional<Error> stored_json_fault(std::string_view name, std::string_view json,
                                       std::size_t bytes_max);

}  // namespace longshore
