#include "cli/terminal/table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace longshore {
namespace {

TEST(Table, IsAsWideAsItsContent) {
  Table table({{.title = "NAME"}, {.title = "COUNT", .right = true}, {.title = "WHAT"}});
  table.add({{"a"}, {"1"}, {"one"}});
  table.add({{"longer"}, {"1,000"}, {""}});
  EXPECT_EQ(table.text(std::nullopt, false),
            "NAME    COUNT  WHAT\n"
            "a           1  one\n"
            "longer  1,000  \n");
}

TEST(Table, TruncatesTheWidestColumnAndThenDropsColumns) {
  Table table({{.title = "ID"},
               {.title = "TYPE", .least = 4},
               {.title = "KEY", .least = 3, .rank = 1},
               {.title = "TAG", .rank = 2}});
  table.add({{"0123456789"}, {"abcdefghij"}, {"klmnopqrstuv"}, {"wxyz"}});
  const auto width_at = [&](std::size_t columns) {
    const std::string text = table.text(columns, false);
    std::size_t widest = 0;
    for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1) {
      widest = std::max(widest, width_of(text.substr(from, text.find('\n', from) - from)));
    }
    return widest;
  };
  for (std::size_t columns = 16; columns < 60; ++columns) EXPECT_LE(width_at(columns), columns);
  EXPECT_NE(table.text(30, false).find("TAG"), std::string::npos);
  EXPECT_EQ(table.text(22, false).find("TAG"), std::string::npos);
  EXPECT_EQ(table.text(16, false).find("KEY"), std::string::npos);
  EXPECT_NE(table.text(16, false).find("0123456789"), std::string::npos);
}

TEST(Table, CountsWideCharactersAsTwoColumns) {
  Table table({{.title = "N", .least = 3}, {.title = "X"}});
  table.add({{"日本語日本語"}, {"x"}});
  table.add({{"ab"}, {"y"}});
  const std::string text = table.text(9, false);
  EXPECT_EQ(text,
            "N       X\n"
            "日本…   x\n"
            "ab      y\n");
}

TEST(Terminal, ReplacesControlCharacters) {
  EXPECT_EQ(sanitized("a\x1b[2Jb"), "a\xEF\xBF\xBD[2Jb");
  EXPECT_EQ(sanitized("one\ntwo\tthree"), "one two three");
  EXPECT_EQ(sanitized("\xff|\xC2\x9B"), "\xEF\xBF\xBD|\xEF\xBF\xBD");
  EXPECT_EQ(sanitized("\xE2\x80\xAE"), "\xEF\xBF\xBD");  // writes from right to left
  EXPECT_EQ(sanitized("ordinary Ünïcødé 日本"), "ordinary Ünïcødé 日本");
}

TEST(Terminal, ComputesTheWidthOfText) {
  EXPECT_EQ(width_of("abc"), 3U);
  EXPECT_EQ(width_of("é"), 1U);
  EXPECT_EQ(width_of("e\xCC\x81"), 1U);  // a letter and a mark on it
  EXPECT_EQ(width_of("日本"), 4U);
  EXPECT_EQ(width_of("\xF0\x9F\x9A\xA2"), 2U);  // a ship
  EXPECT_EQ(truncated("日本語", 4), "日…");
  EXPECT_EQ(truncated("日本語", 6), "日本語");
  EXPECT_EQ(truncated("abc", 0), "");
}

TEST(Terminal, AddsColoursOnlyIfWanted) {
  EXPECT_EQ(painted("x", Colour::red, true), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(painted("x", Colour::red, false), "x");
  EXPECT_EQ(painted("x", Colour::plain, true), "x");
}

}  // namespace
}  // namespace longshore
