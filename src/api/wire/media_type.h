// Which bodies are read: JSON in UTF-8, as it is.
#pragma once

#include <optional>
#include <string_view>

#include "api/wire/problem.h"

namespace longshore {

// UNSUPPORTED_MEDIA_TYPE if the headers say that the body is anything but JSON. No Content-Type
// says nothing.
std::optional<Problem> media_type_problem(const HttpRequest& request);

// "application/json" or "application/...+json", in UTF-8 if it says in what.
bool is_json_type(std::string_view content_type);

}  // namespace longshore
