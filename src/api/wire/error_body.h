// Errors that workers report.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/wire/fields.h"
#include "longshore/job.h"

namespace longshore {

// {code?, message, details?}. Faults are left in `fields`.
std::optional<JobError> read_error(Fields& fields, std::string_view name);

// A text that a program wrote, such as a log. U+0000 is replaced by U+FFFD, since not every
// database can store it.
std::optional<std::string> read_plain_text(Fields& fields, std::string_view name);

}  // namespace longshore
