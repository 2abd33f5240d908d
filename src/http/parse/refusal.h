// Why the wire will not hand something on to the application.
#pragma once

#include <optional>
#include <string_view>

namespace longshore::wire {

// Both are literals: the application makes the answer from them.
struct Refusal {
  std::string_view code;
  std::string_view detail;
};

// Nothing, if all is well.
using MaybeRefusal = std::optional<Refusal>;

inline Refusal bad_request(std::string_view detail) { return {"BAD_REQUEST", detail}; }

}  // namespace longshore::wire
