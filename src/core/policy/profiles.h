// The built-in profiles. A profile is a set of values for Rules.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "longshore/rules.h"

namespace longshore {

// "native", "basic", "endpoints", "scheduler", "external", "orchestrator".
std::span<const std::string_view> profile_names();

std::optional<Rules> profile(std::string_view name);

}  // namespace longshore
