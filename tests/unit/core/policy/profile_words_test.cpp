#include "core/policy/profile_words.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "core/policy/profiles.h"

namespace longshore {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    cells.push_back(cell.substr(1, cell.size() - 2));
  }
  return cells;
}

// The table of docs/states.md, with what follows a comma or a number cut off.
TEST(ProfileWords, AreThoseOfTheDocument) {
  std::ifstream file("docs/states.md");
  std::vector<std::string> profiles;
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| state | native")) profiles = cells_of(line);
    if (profiles.empty() || !line.starts_with("| ")) continue;
    const std::vector<std::string> cells = cells_of(line);
    const auto state = parse_state(cells[0]);
    if (!state) continue;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      SCOPED_TRACE(profiles[i] + " " + cells[0]);
      Job job;
      job.state = *state;
      const ProfileWord word = profile_word(profiles[i], job).value();
      std::string expected = cells[i].substr(0, cells[i].find(','));
      if (word.number) expected = expected.substr(0, expected.find(' '));
      EXPECT_EQ(word.word, expected);
      if (word.number) {
        EXPECT_TRUE(cells[i].ends_with(std::to_string(*word.number)));
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, state_count * 6);
}

TEST(ProfileWords, TellAFirstStartFromALaterOne) {
  Job job;
  job.state = State::queued;
  EXPECT_EQ(profile_word("external", job)->word, "initial");
  job.attempt = 1;
  EXPECT_EQ(profile_word("external", job)->word, "error");
}

TEST(ProfileWords, ExistForEveryProfileAndNoOther) {
  for (const std::string_view name : profile_names()) EXPECT_TRUE(profile_word(name, Job()));
  EXPECT_FALSE(profile_word("Native", Job()));
  EXPECT_FALSE(profile_word("", Job()));
}

}  // namespace
}  // namespace longshore
