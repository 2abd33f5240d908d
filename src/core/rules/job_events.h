// The JobEvents of a commit, one for each transition.
#pragma once

#include <string_view>
#include <vector>

#include "core/rules/change.h"
#include "longshore/store.h"

namespace longshore {

// The public part of an error message: its first line, at most 500 characters.
std::string_view short_message(std::string_view message);

// Adds one JobEvent for each transition of the change from `before` to change.after.
void append_job_events(std::vector<JobEvent>& events, const Job& before, const Change& change);
// The same, and moves the transitions out of the change.
void append_job_events(std::vector<JobEvent>& events, const Job& before, Change&& change);

}  // namespace longshore
