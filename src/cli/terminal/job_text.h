// A job for people: what it is, how it stands, and what happened to it when.
#pragma once

#include <string>

namespace longshore {

// What the API answers about a job, as JSON; `summary` says why it stands where it does.
struct StoryParts {
  std::string details;
  std::string history;
  std::string summary;
  std::string view = {};  // the profile in whose words the state is told too, if any
};

std::string story_text(const StoryParts& story, bool colours);

// The public part alone.
std::string job_text(const std::string& job, bool colours);

}  // namespace longshore
