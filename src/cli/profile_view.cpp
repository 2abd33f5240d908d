#include "cli/profile_view.h"

#include "cli/json_row.h"
#include "core/profile_words.h"
#include "core/profiles.h"

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

std::string job_in_words(const std::string& job, std::string_view profile) {
  const JsonRow row(job);
  const auto word = word_of(row, profile);
  if (!word) return job;
  std::string told = "\"" + std::string(word->word) + "\"";
  if (word->number) told += ",\"stateNumber\":" + std::to_string(*word->number);
  const std::string_view state = row.raw("state");
  std::string text = job;
  text.replace(static_cast<std::size_t>(state.data() - job.data()), state.size(), told);
  return text;
}

}  // namespace longshore
