#include "core/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace longshore {
namespace {

TEST(Utf8, RoundTripsEveryCharacterThereIs) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append_utf8(text, c);
    ASSERT_EQ(utf8_front(text), text.size()) << static_cast<std::uint32_t>(c);
    ASSERT_EQ(utf8_front(text + "x"), text.size());
    ASSERT_EQ(utf8_front(std::string_view(text).substr(0, text.size() - 1)), 0U);
  }
}

TEST(Utf8, WritesTheBytesOfRfc3629) {
  struct Case {
    char32_t character;
    std::string_view bytes;
  };
  const Case cases[] = {
      {U'A', "A"},
      {0x7F, "\x7F"},
      {0x80, "\xC2\x80"},
      {0x7FF, "\xDF\xBF"},
      {0x800, "\xE0\xA0\x80"},
      {0x20AC, "\xE2\x82\xAC"},
      {0xFFFF, "\xEF\xBF\xBF"},
      {0x10000, "\xF0\x90\x80\x80"},
      {0x1F600, "\xF0\x9F\x98\x80"},
      {0x10FFFF, "\xF4\x8F\xBF\xBF"},
  };
  for (const Case& c : cases) {
    std::string text;
    append_utf8(text, c.character);
    EXPECT_EQ(text, c.bytes);
  }
}

TEST(Utf8, RefusesWhatIsNoCharacter) {
  const std::string_view cases[] = {
      "",
      "\x80",              // a continuation alone
      "\xBF",              //
      "\xC0\x80",          // overlong
      "\xC1\xBF",          //
      "\xE0\x80\x80",      //
      "\xE0\x9F\xBF",      //
      "\xF0\x80\x80\x80",  //
      "\xF0\x8F\xBF\xBF",  //
      "\xED\xA0\x80",      // surrogates
      "\xED\xBF\xBF",      //
      "\xF4\x90\x80\x80",  // beyond the last character
      "\xF5\x80\x80\x80",  //
      "\xFF",              // never a lead
      "\xFE",              //
      "\xC2",              // cut off
      "\xE2\x82",          //
      "\xF0\x9F\x98",      //
      "\xC2\x41",          // not continued
      "\xE2\x41\xAC",      //
      "\xE2\x82\x41",      //
      "\xF0\x9F\x98\x41",  //
      "\xF0\x9F\xC0\x80",  //
  };
  for (const std::string_view text : cases) {
    EXPECT_EQ(utf8_front(text), 0U) << testing::PrintToString(text);
    if (!text.empty()) {
      EXPECT_FALSE(utf8_length("ok " + std::string(text)).has_value());
    }
  }
}

TEST(Utf8, AgreesWithTheGrammarOnEveryTwoBytes) {
  int sound = 0;
  for (int lead = 0x80; lead < 256; ++lead) {
    for (int next = 0; next < 256; ++next) {
      const char text[] = {static_cast<char>(lead), static_cast<char>(next)};
      if (utf8_front({text, 2}) == 2) ++sound;
    }
  }
  EXPECT_EQ(sound, 0x800 - 0x80);
}

TEST(Utf8, CountsCharactersAndNotBytes) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("abc"), 3U);
  EXPECT_EQ(utf8_length("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), 4U);
  EXPECT_EQ(utf8_length(std::string_view("a\0b", 3)), 3U);
}

TEST(Utf8, CutsBetweenCharactersAndNotInsideOne) {
  EXPECT_EQ(first_characters("a\xC3\xA9\xE2\x82\xAC", 0), "");
  EXPECT_EQ(first_characters("a\xC3\xA9\xE2\x82\xAC", 2), "a\xC3\xA9");
  EXPECT_EQ(first_characters("a\xC3\xA9", 9), "a\xC3\xA9");
  EXPECT_EQ(first_characters("\xFF\xFF\xFF", 2), "\xFF\xFF");
}

}  // namespace
}  // namespace longshore
