#include "worker/plain_text.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(PlainText, LeavesValidTextUnchanged) {
  EXPECT_EQ(plain_text("grün\n\t😀"), "grün\n\t😀");
  EXPECT_EQ(plain_text(""), "");
}

TEST(PlainText, ReplacesWhatCannotBeStored) {
  EXPECT_EQ(plain_text("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(plain_text(std::string_view("a\0z", 3)), "a\xEF\xBF\xBDz");
  EXPECT_EQ(plain_text("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(PlainText, CutsBetweenCharacters) {
  EXPECT_EQ(plain_text("aü", 2), "a");
  EXPECT_EQ(plain_text("aü", 3), "aü");
}

}  // namespace
}  // namespace longshore
