// Why a request is not passed to the application.
#pragma once

#include <optional>
#include <string_view>

namespace longshore::wire {

// Both are literals; the application turns them into a response.
struct Refusal {
  std::string_view code;
  std::string_view detail;
};

// Nothing if the request is valid so far.
using MaybeRefusal = std::optional<Refusal>;

inline Refusal bad_request(std::string_view detail) { return {"BAD_REQUEST", detail}; }

}  // namespace longshore::wire
