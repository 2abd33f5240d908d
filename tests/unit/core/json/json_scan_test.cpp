#include "core/json/json_scan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace longshore {
namespace {

using Kind = JsonFault::Kind;

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonScan, FindsTheValueAndItsKind) {
  struct Case {
    std::string_view text;
    std::string_view value;
    JsonKind kind;
  };
  const Case cases[] = {
      {"null", "null", JsonKind::null},
      {"true", "true", JsonKind::boolean},
      {"false", "false", JsonKind::boolean},
      {"0", "0", JsonKind::number},
      {"-0", "-0", JsonKind::number},
      {" 12.50e+3 ", "12.50e+3", JsonKind::number},
      {"1E-7", "1E-7", JsonKind::number},
      {"123456789012345678901234567890", "123456789012345678901234567890", JsonKind::number},
      {"1e999", "1e999", JsonKind::number},
      {"0.0", "0.0", JsonKind::number},
      {"0e0", "0e0", JsonKind::number},
      {R"("")", R"("")", JsonKind::string},
      {R"("a")", R"("a")", JsonKind::string},
      {R"("seven..")", R"("seven..")", JsonKind::string},
      {R"("a longer string than one word")", R"("a longer string than one word")",
       JsonKind::string},
      {R"("\"\\\/\b\f\n\r\t")", R"("\"\\\/\b\f\n\r\t")", JsonKind::string},
      {R"("\u0000\u00e9\uFFFF")", R"("\u0000\u00e9\uFFFF")", JsonKind::string},
      {R"("\uD83D\uDE00")", R"("\uD83D\uDE00")", JsonKind::string},
      {R"("\udbff\udfff")", R"("\udbff\udfff")", JsonKind::string},
      {"\"\x7F\"", "\"\x7F\"", JsonKind::string},
      {"\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"", "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"",
       JsonKind::string},
      {"[]", "[]", JsonKind::array},
      {"\t[ \n ]\r\n", "[ \n ]", JsonKind::array},
      {"[1,[2,{}],\"]\"]", "[1,[2,{}],\"]\"]", JsonKind::array},
      {"{}", "{}", JsonKind::object},
      {"{ }", "{ }", JsonKind::object},
      {R"( {"a" : {"b":[1 , 2]} ,"":null} )", R"({"a" : {"b":[1 , 2]} ,"":null})",
       JsonKind::object},
      {R"({"a":{"x":1,"x":2}})", R"({"a":{"x":1,"x":2}})", JsonKind::object},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto scanned = scan_json(c.text);
    EXPECT_TRUE(scanned.ok());
    if (scanned) {
      EXPECT_EQ(scanned->text, c.value);
      EXPECT_EQ(scanned->kind, c.kind);
    }
  }
}

struct FaultCase {
  std::string_view text;
  std::size_t offset;  // of the first byte that is wrong
  Kind kind = Kind::syntax;
};

void expect_faults(const std::vector<FaultCase>& cases) {
  for (const FaultCase& c : cases) {
    SCOPED_TRACE(c.text);
    const auto scanned = scan_json(c.text);
    EXPECT_FALSE(scanned.ok());
    if (!scanned) {
      EXPECT_EQ(scanned.fault().offset, c.offset);
      EXPECT_EQ(scanned.fault().kind, c.kind);
      EXPECT_FALSE(scanned.fault().what.empty());
    }
  }
}

TEST(JsonScanFault, IsWhereTheTextEndsTooEarlyOrContinues) {
  expect_faults({
      {"", 0},
      {"   ", 3},
      {"[", 1},
      {"[1", 2},
      {"[1,", 3},
      {"{", 1},
      {R"({"a")", 4},
      {R"({"a":)", 5},
      {R"({"a":1)", 6},
      {R"({"a":1,)", 7},
      {R"("abc)", 4},
      {R"("abc\)", 5},
      {"1 2", 2},
      {"nullx", 4},
      {"{}}", 2},
      {"[]]", 2},
      {"\"a\"\"b\"", 3},
      {std::string_view("1\0", 2), 1},
  });
}

TEST(JsonScanFault, IsWherePunctuationIsWrong) {
  expect_faults({
      {"[1,]", 3},
      {"[,1]", 1},
      {"[1,,2]", 3},
      {"[1 2]", 3},
      {"[1:2]", 2},
      {"[1}", 2},
      {R"({"a":1,})", 7},
      {R"({,"a":1})", 1},
      {R"({"a" 1})", 5},
      {R"({"a":})", 5},
      {R"({"a":1 "b":2})", 7},
      {R"({"a":1])", 6},
      {R"({"a",1})", 4},
      {"{1:2}", 1},
      {"{a:1}", 1},
      {"{'a':1}", 1},
      {R"({null:1})", 1},
      {R"([{"a":[1,{"b":]}])", 14},
      {"/**/1", 0},
      {"[1]//", 3},
  });
}

TEST(JsonScanFault, IsWhereALiteralIsInvalid) {
  expect_faults({
      {"nul", 0},
      {"True", 0},
      {"NaN", 0},
      {"Infinity", 0},
      {"-Infinity", 1},
      {"undefined", 0},
      {"[tru]", 1},
  });
}

TEST(JsonScanFault, IsWhereANumberGoesWrong) {
  expect_faults({
      {"01", 1},
      {"-01", 2},
      {"00", 1},
      {"+1", 0},
      {".5", 0},
      {"-", 1},
      {"-a", 1},
      {"1.", 2},
      {"1.e3", 2},
      {"1e", 2},
      {"1e+", 3},
      {"1e+x", 3},
      {"1.2.3", 3},
      {"0x10", 1},
      {"1_000", 1},
      {"[-]", 2},
  });
}

TEST(JsonScanFault, IsWhereAStringGoesWrong) {
  expect_faults({
      {"'a'", 0},
      {"\"a\nb\"", 2},
      {"\"a\tb\"", 2},
      {std::string_view("\"a\0b\"", 5), 2},
      {"\"12345678\x1F\"", 9},
      {R"("\x41")", 1},
      {R"("ab\'")", 3},
      {R"("\U0041")", 1},
      {R"("\u12")", 1},
      {R"("\u12g4")", 1},
      {R"("\u-123")", 1},
      {R"("\u)", 1},
      {R"("\uD800")", 1},
      {R"("a\uDC00")", 2},
      {R"("\uD83Dx")", 1},
      {R"("\uD83D\n")", 1},
      {R"("\uD83D\u0041")", 1},
      {R"("\uD83D\uD83D\uDE00")", 1},
      {R"("\uDE00\uD83D")", 1},
      {R"({"\q":1})", 2},
  });
}

TEST(JsonScanFault, IsWhereTheEncodingIsWrong) {
  expect_faults({
      {"\xEF\xBB\xBF{}", 0},
      {"[\xC3\xA9]", 1},
      {"\"\x80\"", 1, Kind::bad_utf8},
      {"\"ab\xC0\x80\"", 3, Kind::bad_utf8},
      {"\"\xE0\x80\x80\"", 1, Kind::bad_utf8},
      {"\"\xED\xA0\x80\"", 1, Kind::bad_utf8},
      {"\"\xF4\x90\x80\x80\"", 1, Kind::bad_utf8},
      {"\"\xC3\xA9\xC3\"", 3, Kind::bad_utf8},
      {"\"\xC3", 1, Kind::bad_utf8},
      {"\"12345678\xFF\"", 9, Kind::bad_utf8},
      {"{\"\xFF\":1}", 2, Kind::bad_utf8},
  });
}

TEST(JsonScan, FindsAWrongByteAtEveryPlaceInAString) {
  const std::string text = "\"" + std::string(40, 'x') + "\"";
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    for (const char bad : {'\x01', '\x1F', '\x80', '\xFF', '\\'}) {
      std::string broken = text;
      broken[at] = bad;
      const auto scanned = scan_json(broken);
      ASSERT_FALSE(scanned.ok());
      // A backslash before the closing quote escapes it, and the string never ends.
      const bool escapes_the_end = bad == '\\' && at + 2 == text.size();
      EXPECT_EQ(scanned.fault().offset, escapes_the_end ? text.size() : at);
    }
    std::string cut = text;
    cut[at] = '"';
    const auto scanned = scan_json(cut);
    ASSERT_FALSE(scanned.ok());
    EXPECT_EQ(scanned.fault().offset, at + 1);
  }
}

TEST(JsonScan, KnowsEightShortEscapesAndNoOther) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_escape = std::string_view(R"("\/bfnrt)").contains(c);
    EXPECT_EQ(scan_json(std::string(R"(["\)") + c + R"(", 1])").ok(), is_escape) << byte;
  }
}

TEST(JsonScan, AllowsSixtyFourLevelsAndRefusesTheNext) {
  EXPECT_TRUE(scan_json(nested(64)).ok());
  const auto scanned = scan_json(" " + nested(65));
  ASSERT_FALSE(scanned.ok());
  EXPECT_EQ(scanned.fault().kind, Kind::too_deep);
  EXPECT_EQ(scanned.fault().offset, 65U);
}

TEST(JsonScan, CountsObjectsAndArraysAlikeAndSiblingsOnce) {
  EXPECT_TRUE(scan_json(R"({"a":[1]})", 2).ok());
  EXPECT_TRUE(scan_json(R"([[1],[2],{"a":3},{"a":4}])", 2).ok());
  const auto scanned = scan_json(R"([[1],{"a":[]}])", 2);
  ASSERT_FALSE(scanned.ok());
  EXPECT_EQ(scanned.fault().kind, Kind::too_deep);
  EXPECT_EQ(scanned.fault().offset, 10U);
}

TEST(JsonScan, AllowsScalarsAloneAtDepthZero) {
  EXPECT_TRUE(scan_json("1", 0).ok());
  const auto scanned = scan_json("[]", 0);
  ASSERT_FALSE(scanned.ok());
  EXPECT_EQ(scanned.fault().kind, Kind::too_deep);
}

TEST(JsonScan, GoesNoDeeperThanItsLimit) {
  EXPECT_TRUE(scan_json(nested(json_depth_limit), 1'000'000).ok());
  const auto scanned = scan_json(nested(json_depth_limit + 1), 1'000'000);
  ASSERT_FALSE(scanned.ok());
  EXPECT_EQ(scanned.fault().kind, Kind::too_deep);
}

TEST(JsonScan, RemembersTheKindOfEveryOpenLevel) {
  std::string text;
  std::string closing;
  for (int i = 0; i < 200; ++i) {
    text += i % 3 == 0 ? R"({"a":)" : "[";
    closing.insert(0, i % 3 == 0 ? "}" : "]");
  }
  EXPECT_TRUE(scan_json(text + "1" + closing, 200).ok());
  for (std::size_t i = 0; i < closing.size(); ++i) {
    std::string wrong = closing;
    wrong[i] = wrong[i] == ']' ? '}' : ']';
    const auto scanned = scan_json(text + "1" + wrong, 200);
    ASSERT_FALSE(scanned.ok());
    EXPECT_EQ(scanned.fault().offset, text.size() + 1 + i);
  }
}

TEST(JsonScan, RefusesAMebibyteOfBracketsAtOnce) {
  for (const char* piece : {"[", "{\"a\":", "[[],"}) {
    std::string text;
    while (text.size() < (1U << 20)) text += piece;
    const auto scanned = scan_json(text, 1 << 30);
    ASSERT_FALSE(scanned.ok());
    EXPECT_EQ(scanned.fault().kind, Kind::too_deep);
  }
  const auto closing = scan_json(std::string(1 << 20, ']'));
  ASSERT_FALSE(closing.ok());
  EXPECT_EQ(closing.fault().offset, 0U);
}

TEST(JsonScanObject, ListsMembersInTheOrderWritten) {
  std::vector<JsonMember> members;
  const auto scanned = scan_object(
      R"( {"jobType":"email.send" , "payload": {"to":["a","b"]},"priority":0} )", members);
  ASSERT_TRUE(scanned.ok());
  EXPECT_EQ(scanned->kind, JsonKind::object);
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].raw_name, "jobType");
  EXPECT_EQ(members[0].value.text, R"("email.send")");
  EXPECT_EQ(members[0].value.kind, JsonKind::string);
  EXPECT_EQ(members[1].raw_name, "payload");
  EXPECT_EQ(members[1].value.text, R"({"to":["a","b"]})");
  EXPECT_EQ(members[1].value.kind, JsonKind::object);
  EXPECT_EQ(members[2].raw_name, "priority");
  EXPECT_EQ(members[2].value.text, "0");
  EXPECT_EQ(members[2].value.kind, JsonKind::number);
}

TEST(JsonScanObject, SaysWhichNamesHaveEscapes) {
  std::vector<JsonMember> members;
  ASSERT_TRUE(scan_object(R"({"\u0061b":1,"c":"\n"})", members).ok());
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].raw_name, R"(\u0061b)");
  EXPECT_TRUE(members[0].name_has_escapes);
  EXPECT_FALSE(members[1].name_has_escapes);
}

TEST(JsonScanObject, RefusesTheSecondMemberOfAName) {
  struct Case {
    std::string_view text;
    std::size_t offset;
  };
  const Case cases[] = {
      {R"({"a":1,"a":2})", 7},
      {R"({"a":1,"b":2,"a":3,"b":4})", 13},
      {R"({"a":1,"\u0061":2})", 7},
      {R"({"\u0061":1,"a":2})", 12},
      {R"({"\u0061":1,"\u0061":2})", 12},
      {R"({"":1,"":2})", 6},
      {"{\"\xC3\xA9\":1,\"\\u00E9\":2}", 8},
  };
  std::vector<JsonMember> members;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto scanned = scan_object(c.text, members);
    ASSERT_FALSE(scanned.ok());
    EXPECT_EQ(scanned.fault().kind, Kind::duplicate_name);
    EXPECT_EQ(scanned.fault().offset, c.offset);
    EXPECT_TRUE(members.empty());
  }
  EXPECT_TRUE(scan_object(R"({"a":1,"A":2,"\\u0061":3,"aa":4,"":5})", members).ok());
}

TEST(JsonScanObject, FindsTheFirstRepeatedNameAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"name" + std::to_string(i) + "\":" + "1,";
  std::vector<JsonMember> members;
  EXPECT_TRUE(scan_object(text + "\"last\":1}", members).ok());
  EXPECT_EQ(members.size(), 1001U);

  const auto scanned = scan_object(text + R"("name99\u0039":1,"name5":2})", members);
  ASSERT_FALSE(scanned.ok());
  EXPECT_EQ(scanned.fault().kind, Kind::duplicate_name);
  EXPECT_EQ(scanned.fault().offset, text.size());
}

TEST(JsonScanObject, StaysQuickForAHundredThousandNames) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text += "\"x\":0}";
  std::vector<JsonMember> members;
  EXPECT_TRUE(scan_object(text, members).ok());
  EXPECT_EQ(members.size(), 100'001U);
}

TEST(JsonScanObject, TellsAnotherKindFromASyntaxFault) {
  std::vector<JsonMember> members = {JsonMember{}};
  for (const std::string_view text : {"[]", " [1]", "null", "\"{}\"", "3"}) {
    const auto scanned = scan_object(text, members);
    ASSERT_FALSE(scanned.ok());
    EXPECT_EQ(scanned.fault().kind, Kind::wrong_kind);
    EXPECT_EQ(scanned.fault().offset, text.find_first_not_of(' '));
    EXPECT_TRUE(members.empty());
  }
  const auto scanned = scan_object("[1", members);
  ASSERT_FALSE(scanned.ok());
  EXPECT_EQ(scanned.fault().kind, Kind::syntax);
}

TEST(JsonScanObject, ProvesTheWholeTextAndListsNothingOtherwise) {
  std::vector<JsonMember> members;
  for (const std::string_view text :
       {R"({"a":1,"b":[1,{"c":tru}]})", R"({"a":1} x)", R"({"a":1,)", R"({"a":1,"b")"}) {
    const auto scanned = scan_object(text, members);
    ASSERT_FALSE(scanned.ok());
    EXPECT_EQ(scanned.fault().kind, Kind::syntax);
    EXPECT_TRUE(members.empty());
  }
}

TEST(JsonScanObject, CountsTheObjectItselfAsOneLevel) {
  std::vector<JsonMember> members;
  EXPECT_TRUE(scan_object("{\"payload\":" + nested(63) + "}", members).ok());
  const auto scanned = scan_object("{\"payload\":" + nested(64) + "}", members);
  ASSERT_FALSE(scanned.ok());
  EXPECT_EQ(scanned.fault().kind, Kind::too_deep);
  EXPECT_TRUE(scan_object("{\"payload\":" + nested(64) + "}", members, 65).ok());
}

TEST(JsonScanArray, ListsElementsInTheOrderWritten) {
  std::vector<JsonSlice> elements;
  ASSERT_TRUE(scan_array(R"([1, {"a":[2]} ,"x",[],null])", elements).ok());
  ASSERT_EQ(elements.size(), 5U);
  EXPECT_EQ(elements[0].text, "1");
  EXPECT_EQ(elements[1].text, R"({"a":[2]})");
  EXPECT_EQ(elements[2].text, R"("x")");
  EXPECT_EQ(elements[3].text, "[]");
  EXPECT_EQ(elements[4].kind, JsonKind::null);
  EXPECT_TRUE(scan_array(" [ ] ", elements).ok());
  EXPECT_TRUE(elements.empty());
}

TEST(JsonScanArray, RefusesOtherKindsAndBrokenText) {
  std::vector<JsonSlice> elements;
  const auto object = scan_array("{}", elements);
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.fault().kind, Kind::wrong_kind);
  const auto broken = scan_array("[1,2,]", elements);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.fault().kind, Kind::syntax);
  EXPECT_EQ(broken.fault().offset, 5U);
  EXPECT_TRUE(elements.empty());
}

}  // namespace
}  // namespace longshore
