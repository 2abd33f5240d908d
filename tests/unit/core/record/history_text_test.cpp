#include "core/record/history_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace longshore {
namespace {

Transition some_move() {
  return {.seq = 3,
          .from = State::queued,
          .to = State::running,
          .cause = Cause::claim,
          .at = Instant::millis(1'800'000'000'123),
          .epoch = 2,
          .worker = "host 7/1",
          .detail = {}};
}

std::string text_of(const Transition& move) {
  std::string text;
  append_transition(text, move);
  return text;
}

TEST(HistoryText, WritesOneLineThatSqlCouldHaveWritten) {
  EXPECT_EQ(text_of(some_move()), "3 QUEUED RUNNING claim 1800000000123 2 host%207/1 -\n");
  Transition first;
  first.seq = 1;
  EXPECT_EQ(text_of(first), "1 - CREATED enqueue 0 0 - -\n");
}

TEST(HistoryText, EncodesWhatWouldBreakALine) {
  struct Case {
    std::string_view plain;
    std::string_view encoded;
  };
  const Case cases[] = {
      {"", "-"},
      {"-", "%2d"},
      {"--", "--"},
      {"TIMEOUT", "TIMEOUT"},
      {"a b", "a%20b"},
      {"a\nb\r\t", "a%0ab%0d%09"},
      {"100%", "100%25"},
      {"%20", "%2520"},
      {"\xC3\xA9", "%c3%a9"},
      {"\xF0\x9F\x9A\xA2", "%f0%9f%9a%a2"},
      {std::string_view("\0\x7F", 2), "%00%7f"},
      {"~!\"'\\", "~!\"'\\"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.encoded);
    EXPECT_EQ(encode_field(c.plain), c.encoded);
    EXPECT_EQ(decode_field(c.encoded), c.plain);
  }
}

TEST(HistoryText, DecodesNothingThatIsNotAField) {
  for (std::string_view text : {"", "%", "%2", "a%2", "%zz", "%2G", "a b", "a\n", "\xC3\xA9"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(decode_field(text), std::nullopt);
  }
}

TEST(HistoryText, ReadsBackWhateverItWrote) {
  EXPECT_TRUE(rc::check("history round trip", [] {
    std::vector<Transition> history;
    std::string text;
    for (int i = 0, count = *rc::gen::inRange(0, 20); i < count; ++i) {
      Transition move;
      move.seq = *rc::gen::arbitrary<std::int64_t>();
      if (*rc::gen::arbitrary<bool>()) {
        move.from = static_cast<State>(*rc::gen::inRange(0, state_count));
      }
      move.to = static_cast<State>(*rc::gen::inRange(0, state_count));
      move.cause = static_cast<Cause>(*rc::gen::inRange(0, cause_count));
      move.at = Instant::millis(*rc::gen::arbitrary<std::int64_t>());
      move.epoch = *rc::gen::arbitrary<std::int64_t>();
      move.worker = *rc::gen::arbitrary<std::string>();
      move.detail = *rc::gen::arbitrary<std::string>();
      append_transition(text, move);
      history.push_back(move);
    }
    RC_ASSERT(parse_history(text) == history);
  }));
}

TEST(HistoryText, ReadsNothingFromWhatIsNoHistory) {
  const std::string good = text_of(some_move());
  EXPECT_TRUE(parse_history("")->empty());
  const std::string bad[] = {
      good.substr(0, good.size() - 1),                        // cut off
      "\n",                                                   // an empty line
      good + "\n",                                            // and one after a good one
      "x QUEUED RUNNING claim 1 2 w -\n",                     // no number
      "3 queued RUNNING claim 1 2 w -\n",                     // no state
      "3 QUEUED - claim 1 2 w -\n",                           // moved nowhere
      "3 QUEUED RUNNING grabbed 1 2 w -\n",                   // no cause
      "3 QUEUED RUNNING claim 1 2 w\n",                       // too few
      "3 QUEUED RUNNING claim 1 2 w - more\n",                // too many
      "3 QUEUED RUNNING claim 1 2  -\n",                      // an empty field
      "3 QUEUED RUNNING claim 99999999999999999999 2 w -\n",  // does not fit
      "3 QUEUED RUNNING claim 1 2x w -\n",                    // trails off
      "+3 QUEUED RUNNING claim 1 2 w -\n",                    // not as it is written
  };
  for (const std::string& text : bad) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_history(text), std::nullopt);
  }
}

std::vector<Transition> moves(int count) {
  std::vector<Transition> history;
  for (int i = 1; i <= count; ++i) history.push_back({.seq = i});
  return history;
}

TEST(HistoryText, KeepsAHistoryWholeWhileItFits) {
  for (int count : {0, 1, 16, 17, 255, 256}) {
    SCOPED_TRACE(count);
    std::vector<Transition> history = moves(count);
    std::int64_t dropped = 0;
    keep_both_ends(history, dropped);
    EXPECT_EQ(history, moves(count));
    EXPECT_EQ(dropped, 0);
  }
}

TEST(HistoryText, KeepsTheFirst16AndTheNewest240) {
  std::vector<Transition> history = moves(256);
  std::int64_t dropped = 0;
  for (int seq = 257; seq <= 300; ++seq) {
    history.push_back({.seq = seq});
    keep_both_ends(history, dropped);
    ASSERT_EQ(history.size(), 256u);
    ASSERT_EQ(dropped, seq - 256);
    ASSERT_EQ(history[15].seq, 16);
    ASSERT_EQ(history[16].seq, seq - 239);
    ASSERT_EQ(history.back().seq, seq);
  }
}

TEST(HistoryText, DropsManyAtOnce) {
  std::vector<Transition> history = moves(1000);
  std::int64_t dropped = 5;
  keep_both_ends(history, dropped);
  EXPECT_EQ(history.size(), 256u);
  EXPECT_EQ(dropped, 5 + 744);
  EXPECT_EQ(history[16].seq, 761);
}

}  // namespace
}  // namespace longshore
