#include "core/profile_words.h"

#include <array>

namespace longshore {
namespace {

using Words = std::array<std::string_view, state_count>;

// In the order of State.
constexpr Words basic_words = {"pending", "pending",   "pending", "running", "running",
                               "failed",  "completed", "dead",    "dead"};
constexpr Words endpoints_words = {"Queued",    "Scheduled", "Queued", "InProgress", "InProgress",
                                   "Scheduled", "Completed", "Failed", "Canceled"};
constexpr std::array<int, state_count> endpoint_numbers = {100, 200, 100, 300, 300,
                                                           200, 400, 500, 600};
constexpr Words scheduler_words = {"Scheduled", "Scheduled", "Queued", "Running", "Running",
                                   "Scheduled", "Completed", "Failed", "Failed"};
constexpr Words external_words = {"initial", "initial", "initial", "running", "running",
                                  "error",   "final",   "final",   "final"};

bool waits_in_line(State state) {
  return state == State::created || state == State::scheduled || state == State::queued;
}

}  // namespace

std::optional<ProfileWord> profile_word(std::string_view profile, const Job& job) {
  const auto index = static_cast<std::size_t>(job.state);
  if (profile == "native") return ProfileWord{to_text(job.state), {}};
  if (profile == "basic") return ProfileWord{basic_words[index], {}};
  if (profile == "endpoints") return ProfileWord{endpoints_words[index], endpoint_numbers[index]};
  if (profile == "scheduler") return ProfileWord{scheduler_words[index], {}};
  if (profile == "external") {
    const bool again = waits_in_line(job.state) && job.attempt > 0;
    return ProfileWord{again ? "error" : external_words[index], {}};
  }
  if (profile == "orchestrator") {
    const State shown = job.state == State::scheduled ? State::created : job.state;
    return ProfileWord{to_text(shown), {}};
  }
  return std::nullopt;
}

}  // namespace longshore
