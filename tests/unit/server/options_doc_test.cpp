// docs/options.md has the rows of the table of options.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "server/settings/option.h"

namespace longshore {
namespace {

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

std::string row_of(const Option& option) {
  std::string help(option.help);
  for (std::size_t i = 0; i < option.words.size(); ++i) {
    help += (i == 0 ? ": `" : ", `") + std::string(option.words[i]) + "`";
  }
  const std::string fallback =
      option.fallback.empty() ? "" : "`" + std::string(option.fallback) + "`";
  return "| `" + std::string(option.name) + "` | " + fallback + " | " + cell(help) + " |\n";
}

TEST(OptionsDoc, MatchesTheTable) {
  std::ifstream file("docs/options.md");
  const std::string document(std::istreambuf_iterator<char>(file), {});
  std::string rows;
  for (const Option& option : all_options()) rows += row_of(option);
  EXPECT_NE(document.find("|---|---|---|\n" + rows + "\n"), std::string::npos)
      << "the rows should be:\n"
      << rows;
}

}  // namespace
}  // namespace longshore
