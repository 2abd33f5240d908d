// Server-Sent Events as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/views/view.h"
#include "longshore/job.h"
#include "longshore/store.h"

namespace longshore {

// A comment, which readers pass over: shows that somebody is still there.
inline constexpr std::string_view sse_keep_alive = ": keep-alive\n\n";

// `id` may be empty; `data` must be a single line.
std::string sse_event(std::string_view event, std::string_view id, std::string_view data);

// What a transition, told in the words of `shown`, says to those who follow a job. `error` is what
// the attempt failed with.
std::string transition_json(const JobEvent& events, const ShownMove& shown,
                            const std::optional<JobError>& error);

// Whether the move says that something went wrong.
bool is_failure(const Transition& move);

// The error that a move of this job was about, as far as it is kept: the message of a counted
// failure, else what the history says. Nothing unless the move is a failure.
std::optional<JobError> error_of(const JobRecord& record, const Transition& move);

}  // namespace longshore
