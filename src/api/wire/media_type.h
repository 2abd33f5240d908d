// Accepted bodies: JSON in UTF-8, not compressed.
#pragma once

#include <optional>
#include <string_view>

#include "api/wire/problem.h"

namespace longshore {

// UNSUPPORTED_MEDIA_TYPE if the headers declare anything but JSON. A missing Content-Type is
// accepted.
std::optional<Problem> media_type_problem(const HttpRequest& request);

// "application/json" or "application/...+json", with no charset but UTF-8.
bool is_json_type(std::string_view content_type);

}  // namespace longshore
