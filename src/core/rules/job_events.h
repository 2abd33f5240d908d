// What a commit tells about the moves in it.
#pragma once

#include <string_view>
#include <vector>

#include "core/rules/change.h"
#include "longshore/store.h"

namespace longshore {

// What the public is told of an error's message: its first line, and no more than 500 characters.
std::string_view short_message(std::string_view message);

// Adds one JobEvent for each move of the change that took `before` to change.after.
void append_job_events(std::vector<JobEvent>& events, const Job& before, const Change& change);
// The same, and takes the moves' texts out of the change: they are then found in `happened` alone.
void append_job_events(std::vector<JobEvent>& events, const Job& before, Change&& change);

}  // namespace longshore
