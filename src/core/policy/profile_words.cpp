#include "core/policy/profile_words.h"

#include <algorithm>
#include <array>

namespace longshore {
namespace {

using Words = std::array<std::string_view, state_count>;
using Numbers = std::array<int, state_count>;

struct Vocabulary {
  std::string_view profile;
  Words words;                  // in the order of State
  std::string_view again = {};  // of a job that waits in line after a start, if there is one
  std::optional<Numbers> numbers = {};
};

constexpr std::array<Vocabulary, 6> vocabularies = {{
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
     .again = "error"},
    {.profile = "orchestrator",
     .words = {"CREATED", "CREATED", "QUEUED", "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD",
               "CANCELED"}},
}};

bool waits_in_line(State state) {
  return state == State::created || state == State::scheduled || state == State::queued;
}

}  // namespace

std::optional<ProfileWord> profile_word(std::string_view profile, State state, bool started) {
  const auto* const found = std::ranges::find(vocabularies, profile, &Vocabulary::profile);
  if (found == vocabularies.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(state);
  const bool again = started && waits_in_line(state) && !found->again.empty();
  ProfileWord word{again ? found->again : found->words[index], {}};
  if (found->numbers) word.number = (*found->numbers)[index];
  return word;
}

std::optional<ProfileWord> profile_word(std::string_view profile, const Job& job) {
  return profile_word(profile, job.state, job.attempt > 0);
}

}  // namespace longshore
