// A job as text: its fields, why it is in its state, and its history.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/terminal.h"

namespace longshore {

// Replies of the API about a job, as JSON; `summary` explains its state.
struct JobReplies {
  std::string details;
  std::string history;
  std::string summary;
  std::string view = {};  // also show the state in the terms of this profile; empty: none
};

std::string job_details_text(const JobReplies& replies, bool colours);

// Only the public part.
std::string job_text(const std::string& job, bool colours);

// The colour of a state or status.
Colour colour_of_state(std::string_view state);

}  // namespace longshore
