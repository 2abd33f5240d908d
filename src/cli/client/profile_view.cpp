#include "cli/client/profile_view.h"

#include "cli/client/json_row.h"
#include "core/policy/profile_words.h"
#include "core/policy/profiles.h"

namespace longshore {
namespace {

std::optional<ProfileWord> word_of(const JsonRow& row, std::string_view profile) {
  const auto state = parse_state(row.text("state"));
  if (!state) return std::nullopt;
  Job job;
  job.state = *state;
  job.attempt = static_cast<int>(row.integer("attempt"));
  return profile_word(profile, job);
}

}  // namespace

Flag view_flag(std::string_view help) {
  const auto names = profile_names();
  return {"--view", help, Flag::Kind::text, "PROFILE", {names.begin(), names.end()}};
}

std::string state_in_words(std::string_view job, std::string_view profile) {
  const auto word = word_of(JsonRow(job), profile);
  if (!word) return "";
  return std::string(word->word) + (word->number ? " " + std::to_string(*word->number) : "");
}

}  // namespace longshore
