// Server-Sent Events as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/views/view.h"
#include "longshore/job.h"
#include "longshore/store.h"

namespace longshore {

// A comment, which readers ignore: shows that the connection is alive.
inline constexpr std::string_view sse_keep_alive = ": keep-alive\n\n";

// `id` may be empty; `data` must be a single line.
std::string sse_event(std::string_view event, std::string_view id, std::string_view data);

// A transition in the words of `shown`. `error` is the error of the attempt.
std::string transition_json(const JobEvent& events, const ShownMove& shown,
                            const std::optional<JobError>& error);

// Whether the transition is a failure.
bool is_failure(const Transition& move);

// The error of this transition, as far as it is stored: a counted failure, else the code in the
// history. Nothing unless the transition is a failure.
std::optional<JobError> error_of(const JobRecord& record, const Transition& move);

}  // namespace longshore
