// How long a caller is willing to wait for an answer that says more.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "api/wire/problem.h"
#include "api/wire/route.h"
#include "core/rules/limits.h"
#include "longshore/time.h"

namespace longshore {

struct WaitOptions {
  Duration wait;
};

// From the query's waitSeconds, else from the header Prefer: wait=N. Other parameters are unknown.
std::variant<WaitOptions, Problem> read_patience(const Call& call);

// What to say in Preference-Applied, if the header was heeded.
std::optional<std::string> applied_preference(const Call& call);

}  // namespace longshore
