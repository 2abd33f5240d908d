// Where a list goes on. Callers hand back what they were given and look no further.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longshore/id.h"

namespace longshore {

std::string cursor_text(const JobId& last);
// Nothing for what no answer ever held.
std::optional<JobId> parse_cursor(std::string_view text);

}  // namespace longshore
