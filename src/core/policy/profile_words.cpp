#include "core/policy/profile_words.h"

#include <algorithm>
#include <array>

namespace longshore {
namespace {

using Words = std::array<std::string_view, state_count>;
using Numbers = std::array<int, state_count>;

struct ProfileVocabulary {
  std::string_view profile;
  Words words;                        // in the order of State
  std::string_view after_start = {};  // for a job that waits again after a start, if it differs
  std::optional<Numbers> numbers = {};
};

constexpr std::array<ProfileVocabulary, 6> vocabularies = {{
    {.profile = "native",
     .words = {"CREATED", "SCHEDULED", "QUEUED", "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD",
               "CANCELED"}},
    {.profile = "basic",
     .words = {"pending", "pending", "pending", "running", "running", "failed", "completed", "dead",
               "dead"}},
    {.profile = "endpoints",
     .words = {"Queued", "Scheduled", "Queued", "InProgress", "InProgress", "Scheduled",
               "Completed", "Failed", "Canceled"},
     .numbers = Numbers{100, 200, 100, 300, 300, 200, 400, 500, 600}},
    {.profile = "scheduler",
     .words = {"Scheduled", "Scheduled", "Queued", "Running", "Running", "Scheduled", "Completed",
               "Failed", "Failed"}},
    {.profile = "external",
     .words = {"initial", "initial", "initial", "running", "running", "error", "final", "final",
               "final"},
     .after_start = "error"},
    {.profile = "orchestrator",
     .words = {"CREATED", "CREATED", "QUEUED", "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD",
               "CANCELED"}},
}};

bool is_waiting_state(State state) {
  return state == State::created || state == State::scheduled || state == State::queued;
}

}  // namespace

std::optional<ProfileWord> profile_word(std::string_view profile, State state, bool started) {
  const auto* const found = std::ranges::find(vocabularies, profile, &ProfileVocabulary::profile);
  if (found == vocabularies.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(state);
  const bool after_start = started && is_waiting_state(state) && !found->after_start.empty();
  ProfileWord word{after_start ? found->after_start : found->words[index], {}};
  if (found->numbers) word.number = (*found->numbers)[index];
  return word;
}

std::optional<ProfileWord> profile_word(std::string_view profile, const Job& job) {
  return profile_word(profile, job.state, job.attempt > 0);
}

}  // namespace longshore
