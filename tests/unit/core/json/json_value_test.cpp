#include "core/json/json_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace longshore {
namespace {

// The text must be sound JSON.
JsonSlice slice(std::string_view text) { return *scan_json(text); }

JsonMember member(std::string_view object) {
  std::vector<JsonMember> members;
  EXPECT_TRUE(scan_object(object, members).ok());
  return members.at(0);
}

TEST(JsonString, IsUnescaped) {
  struct Case {
    std::string_view text;
    std::string_view value;
  };
  const Case cases[] = {
      {R"("")", ""},
      {R"("plain")", "plain"},
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("a\u0041\u00e9\u20AC z")", "aA\xC3\xA9\xE2\x82\xAC z"},
      {R"("\uD83D\uDE00!")", "\xF0\x9F\x98\x80!"},
      {R"("\uDBFF\uDFFF")", "\xF4\x8F\xBF\xBF"},
      {R"("\u0000x")", std::string_view("\0x", 2)},
      {R"("\\u0041")", "\\u0041"},
      {"\"\xC3\xA9\"", "\xC3\xA9"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(json_string(slice(c.text)), c.value);
  }
}

TEST(JsonString, OfAnotherKindIsNothing) {
  for (const std::string_view text : {"null", "1", "true", "[\"a\"]", "{}"}) {
    EXPECT_FALSE(json_string(slice(text)).has_value());
  }
}

TEST(JsonString, NeverReadsOutsideAnInvalidSlice) {
  for (const std::string_view text :
       {"", "\"", R"("\")", R"("\u")", R"("\u1")", R"("\uD83D")", R"("\uD83D\")", R"("\uD83D\uD8")",
        R"("\uDC00")", R"("\u-1-1")"}) {
    const std::string copy(text);
    json_string({.text = copy, .kind = JsonKind::string});
    json_integer({.text = copy, .kind = JsonKind::number});
    EXPECT_FALSE(json_number({.text = copy, .kind = JsonKind::number}).has_value());
  }
}

TEST(JsonBoolean, IsOneOfTwo) {
  EXPECT_EQ(json_boolean(slice("true")), true);
  EXPECT_EQ(json_boolean(slice(" false ")), false);
  EXPECT_FALSE(json_boolean(slice("0")).has_value());
  EXPECT_FALSE(json_boolean(slice("null")).has_value());
  EXPECT_FALSE(json_boolean(slice("\"true\"")).has_value());
}

TEST(JsonInteger, IsExactHoweverItIsWritten) {
  struct Case {
    std::string_view text;
    std::int64_t value;
  };
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Case cases[] = {
      {"0", 0},
      {"-0", 0},
      {"0.000", 0},
      {"0e99999999999999999999", 0},
      {"0e-99999999999999999999", 0},
      {"7", 7},
      {"-7", -7},
      {"1000", 1000},
      {"1.0", 1},
      {"1.50e1", 15},
      {"1e3", 1000},
      {"1E+3", 1000},
      {"30e-1", 3},
      {"0.03e2", 3},
      {"0.001e3", 1},
      {"-2.5e1", -25},
      {"1e18", 1'000'000'000'000'000'000},
      {"9223372036854775807", most},
      {"9223372036854775807.000", most},
      {"-9223372036854775808", least},
      {"-9.223372036854775808e18", least},
      {"9007199254740993", 9'007'199'254'740'993},
      {"100000000000000000000000000000e-29", 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(json_integer(slice(c.text)), c.value);
  }
  const std::string long_one = "1" + std::string(100'000, '0') + "e-100000";
  EXPECT_EQ(json_integer(slice(long_one)), 1);
}

TEST(JsonInteger, IsNothingWhereTheNumberIsNotWholeOrDoesNotFit) {
  for (const std::string_view text : {"0.5",
                                      "1.5",
                                      "-0.001",
                                      "1e-1",
                                      "15e-2",
                                      "1e-99999999999999999999",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "18446744073709551617",
                                      "36893488147419103233",
                                      "1e19",
                                      "1e400",
                                      "1e99999999999999999999",
                                      "99999999999999999999999999e-5",
                                      "\"1\"",
                                      "null",
                                      "true",
                                      "[1]"}) {
    EXPECT_FALSE(json_integer(slice(text)).has_value()) << text;
  }
}

TEST(JsonNumber, IsTheNearestDouble) {
  EXPECT_EQ(json_number(slice("0.1")), 0.1);
  EXPECT_EQ(json_number(slice("-1.5e3")), -1500.0);
  EXPECT_EQ(json_number(slice("1E+2")), 100.0);
  EXPECT_EQ(json_number(slice("1.7976931348623157e308")), std::numeric_limits<double>::max());
  EXPECT_EQ(json_number(slice("5e-324")), std::numeric_limits<double>::denorm_min());
  const auto minus_zero = json_number(slice("-0"));
  EXPECT_EQ(minus_zero, 0.0);
  EXPECT_TRUE(std::signbit(minus_zero.value_or(1)));
}

TEST(JsonNumber, IsNothingBeyondADoubleAndForOtherKinds) {
  for (const std::string_view text : {"1e309", "-1e309", "1e-400", "\"1\"", "null", "[]"}) {
    EXPECT_FALSE(json_number(slice(text)).has_value()) << text;
  }
}

TEST(JsonName, IsComparedUnescaped) {
  const JsonMember plain = member(R"({"jobType":1})");
  const JsonMember escaped = member(R"({"job\u0054ype":1})");
  EXPECT_EQ(json_name(plain), "jobType");
  EXPECT_EQ(json_name(escaped), "jobType");
  EXPECT_TRUE(is_named(plain, "jobType"));
  EXPECT_TRUE(is_named(escaped, "jobType"));
  EXPECT_FALSE(is_named(plain, "jobtype"));
  EXPECT_FALSE(is_named(escaped, R"(job\u0054ype)"));
}

TEST(AppendJsonString, EscapesWhatMustBeAndNothingElse) {
  struct Case {
    std::string_view text;
    std::string_view json;
  };
  const Case cases[] = {
      {"", R"("")"},
      {"plain / text'", R"("plain / text'")"},
      {"\"\\", R"("\"\\")"},
      {"\b\f\n\r\t", R"("\b\f\n\r\t")"},
      {std::string_view("a\0b\x1F", 4), R"("a\u0000b\u001f")"},
      {"\x7F\xC3\xA9\xF0\x9F\x98\x80", "\"\x7F\xC3\xA9\xF0\x9F\x98\x80\""},
  };
  for (const Case& c : cases) {
    std::string out = "x";
    append_json_string(out, c.text);
    EXPECT_EQ(out, "x" + std::string(c.json));
  }
}

TEST(AppendJsonString, WritesWhatJsonStringReadsForEveryAsciiCharacter) {
  std::string text;
  for (int c = 0; c < 128; ++c) text.push_back(static_cast<char>(c));
  std::string out;
  append_json_string(out, text);
  EXPECT_EQ(json_string(slice(out)), text);
}

}  // namespace
}  // namespace longshore
