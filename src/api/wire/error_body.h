// What workers say went wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/wire/fields.h"
#include "longshore/job.h"

namespace longshore {

// {code?, message, details?}. Faults are left in `fields`.
std::optional<JobError> read_error(Fields& fields, std::string_view name);

// A text that programs wrote, such as a log: kept even where no database could keep all of it, with
// U+FFFD in place of U+0000.
std::optional<std::string> read_plain_text(Fields& fields, std::string_view name);

}  // namespace longshore
