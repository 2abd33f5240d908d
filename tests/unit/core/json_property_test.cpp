// What must hold for every JSON text, tried on generated ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

std::string any_space() {
  return *rc::gen::container<std::string>(rc::gen::elementOf(std::string(" \t\r\n")));
}

// Space is rare, as it is in real texts.
std::string gap() { return *rc::gen::inRange(0, 4) == 0 ? any_space() : std::string(); }

std::string any_text() {
  std::string text;
  for (int left = *rc::gen::inRange(0, 20); left > 0; --left) {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        append_utf8(text, *rc::gen::inRange<char32_t>(0, 0x80));
        break;
      case 1:
        append_utf8(text, *rc::gen::inRange<char32_t>(0x80, 0xD800));
        break;
      case 2:
        append_utf8(text, *rc::gen::inRange<char32_t>(0xE000, 0x110000));
        break;
      default:
        text.push_back(*rc::gen::inRange('a', '{'));
    }
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string any_number() {
  std::string text = *rc::gen::element<std::string>("", "-");
  text += std::to_string(*rc::gen::arbitrary<std::uint32_t>());
  if (*rc::gen::arbitrary<bool>()) text += "." + std::to_string(*rc::gen::inRange(0, 1000));
  if (*rc::gen::arbitrary<bool>()) {
    text += *rc::gen::element<std::string>("e", "E", "e+", "E-");
    text += std::to_string(*rc::gen::inRange(0, 40));
  }
  return text;
}

std::string any_value(int depth);

struct Member {
  std::string name;
  std::string value;
};

std::vector<Member> any_members(int depth) {
  std::vector<Member> members;
  for (int left = *rc::gen::inRange(0, 5); left > 0; --left) {
    // The number keeps names apart; the rest makes them interesting.
    const std::string name = any_text() + std::to_string(left);
    members.push_back({.name = name, .value = any_value(depth - 1)});
  }
  return members;
}

std::string written(const std::vector<Member>& members) {
  std::string text = "{" + gap();
  for (const Member& member : members) {
    if (text.find(':') != std::string::npos) text += "," + gap();
    text += escaped(member.name) + gap() + ":" + gap() + member.value + gap();
  }
  return text + "}";
}

std::vector<std::string> any_elements(int depth) {
  std::vector<std::string> elements;
  for (int left = *rc::gen::inRange(0, 5); left > 0; --left) {
    elements.push_back(any_value(depth - 1));
  }
  return elements;
}

std::string written(const std::vector<std::string>& elements) {
  std::string text = "[" + gap();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    text += (i == 0 ? "" : ",") + gap() + elements[i] + gap();
  }
  return text + "]";
}

std::string any_value(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 6 : 4)) {
    case 0:
      return *rc::gen::element<std::string>("null", "true", "false");
    case 1:
      return any_number();
    case 2:
      return escaped(any_text());
    case 3:
      return *rc::gen::element<std::string>(R"("\uD83D\uDE00")", R"("\u00e9\/")", "0", "-0.0e0");
    case 4:
      return written(any_elements(depth));
    default:
      return written(any_members(depth));
  }
}

// Whether Boost.JSON, as strict as we are, comes to the same verdict. It also refuses exponents
// that no double can hold; grammar has nothing to say on those.
bool boost_agrees(std::string_view text, bool is_sound) {
  boost::json::parse_options options;
  options.max_depth = json_depth_limit;
  boost::json::error_code error;
  boost::json::parse({text.data(), text.size()}, error, {}, options);
  return error == boost::json::error::exponent_overflow || error.failed() != is_sound;
}

void mutate(std::string& text) {
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  // Half of the bytes are ones that mean something to JSON.
  const char byte = *rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("{}[]:,\"\\u0123dD-+.eE tfn\n")));
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      text.insert(at, 1, byte);
      break;
    case 1:
      if (at < text.size()) text[at] = byte;
      break;
    case 2:
      if (at < text.size()) text.erase(at, 1);
      break;
    default:
      text.resize(at);
  }
}

TEST(JsonProperty, EveryGeneratedValueIsSoundAndFoundWhole) {
  EXPECT_TRUE(rc::check([] {
    const std::string value = any_value(4);
    const std::string text = any_space() + value + any_space();
    const auto scanned = scan_json(text);
    RC_ASSERT(scanned.ok());
    RC_ASSERT(scanned->text == value);
    RC_ASSERT(boost_agrees(text, true));
  }));
}

TEST(JsonProperty, MembersAreThoseThatWereWritten) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Member> expected = any_members(3);
    const std::string text = gap() + written(expected) + gap();
    std::vector<JsonMember> members;
    RC_ASSERT(scan_object(text, members).ok());
    RC_ASSERT(members.size() == expected.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      RC_ASSERT(json_name(members[i]) == expected[i].name);
      RC_ASSERT(is_named(members[i], expected[i].name));
      RC_ASSERT(members[i].value.text == expected[i].value);
      RC_ASSERT(members[i].value.kind == scan_json(expected[i].value)->kind);
    }
  }));
}

TEST(JsonProperty, ElementsAreThoseThatWereWritten) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<std::string> expected = any_elements(3);
    const std::string text = gap() + written(expected) + gap();
    std::vector<JsonSlice> elements;
    RC_ASSERT(scan_array(text, elements).ok());
    RC_ASSERT(elements.size() == expected.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      RC_ASSERT(elements[i].text == expected[i]);
    }
  }));
}

TEST(JsonProperty, AStringSurvivesEscapingAndUnescaping) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = any_text();
    const std::string json = escaped(text);
    RC_ASSERT(json_string(*scan_json(json)) == text);
    const auto parsed = boost::json::parse(json);
    RC_ASSERT(std::string_view(parsed.as_string()) == text);
  }));
}

TEST(JsonProperty, AnIntegerIsTheSameHoweverItsPointIsMoved) {
  EXPECT_TRUE(rc::check([](std::int64_t value) {
    const int shift = *rc::gen::inRange(0, 30);
    const std::string text = std::to_string(value);
    RC_ASSERT(json_integer(*scan_json(text)) == value);
    const std::string zeros(value == 0 ? 0 : static_cast<std::size_t>(shift), '0');
    const std::string longer = text + zeros + "e-" + std::to_string(zeros.size());
    RC_ASSERT(json_integer(*scan_json(longer)) == value);
    RC_ASSERT(json_integer(*scan_json(text + ".0e0")) == value);
    RC_ASSERT(!json_integer(*scan_json(text + ".5")).has_value());
  }));
}

TEST(JsonProperty, BrokenTextsAreRejectedLikeByBoost) {
  int refused = 0;
  int accepted = 0;
  EXPECT_TRUE(rc::check([&] {
    std::string text = any_value(3);
    for (int left = 10; left > 0; --left) {
      mutate(text);
      const auto scanned = scan_json(text, json_depth_limit);
      RC_ASSERT(boost_agrees(text, scanned.ok()));
      ++(scanned.ok() ? accepted : refused);
      if (scanned) continue;
      RC_ASSERT(scanned.fault().offset <= text.size());
      text = any_value(3);
    }
  }));
  EXPECT_GT(refused, 50);
  EXPECT_GT(accepted, 50);
}

TEST(JsonProperty, RandomBytesAreRejectedLikeByBoost) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    RC_ASSERT(boost_agrees(bytes, scan_json(bytes).ok()));
    // Inside a string most of the rules are about encoding.
    const std::string text = "[\"" + bytes + "\"]";
    RC_ASSERT(boost_agrees(text, scan_json(text).ok()));
  }));
}

TEST(JsonProperty, NothingThatIsCutShortIsSound) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = "[" + any_value(3) + "]";
    const auto size = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto scanned = scan_json(std::string_view(text).substr(0, size));
    RC_ASSERT(!scanned.ok());
    RC_ASSERT(scanned.fault().offset <= size);
  }));
}

}  // namespace
}  // namespace longshore
