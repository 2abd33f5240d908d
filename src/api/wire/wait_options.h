// How long a client wants to wait for a job to end.
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

// From the query's waitSeconds, else from the header Prefer: wait=N. Other parameters are faults.
std::variant<WaitOptions, Problem> read_wait_options(const Call& call);

// The value of Preference-Applied, if the header Prefer was used.
std::optional<std::string> applied_preference(const Call& call);

}  // namespace longshore
