// Compares docs/states.md and docs/words.md with the code.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/policy/profiles.h"
#include "core/rules/transitions.h"
#include "longshore/job.h"

namespace longshore {
namespace {

using Cells = std::vector<std::string>;

std::vector<std::string> split_trimmed(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    const std::size_t first = part.find_first_not_of(" `");
    if (first == std::string::npos) continue;
    parts.push_back(part.substr(first, part.find_last_not_of(" `") - first + 1));
  }
  return parts;
}

// The first table below the heading: its header, then its rows.
std::vector<Cells> table_under(const std::string& heading) {
  std::ifstream in("docs/states.md");
  std::vector<Cells> rows;
  bool here = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) here = line == "## " + heading;
    if (!here) continue;
    if (line.starts_with("|---")) continue;
    if (line.starts_with("|")) {
      rows.push_back(split_trimmed(line, '|'));
    } else if (!rows.empty()) {
      break;
    }
  }
  EXPECT_GT(rows.size(), 1u) << "no table under " << heading;
  return rows;
}

std::string diagram() {
  std::ifstream in("docs/states.md");
  std::string drawn;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) inside = !inside;
    if (inside) drawn += line + "\n";
    EXPECT_LE(inside ? line.size() : 0, 100u) << "too wide for a terminal";
  }
  return drawn;
}

// True if the word stands alone between two upright lines.
bool has_box(const std::string& drawn, const std::string& word) {
  for (std::size_t at = drawn.find(word); at != std::string::npos; at = drawn.find(word, at + 1)) {
    const std::size_t left = drawn.find_last_not_of(' ', at - 1);
    const std::size_t right = drawn.find_first_not_of(' ', at + word.size());
    if (drawn[left] == '|' && drawn[right] == '|') return true;
  }
  return false;
}

std::string row_text(const LegalMove& move) {
  const std::string from = move.from ? std::string(to_text(*move.from)) : "-";
  return from + " | " + std::string(to_text(move.to)) + " | " + std::string(to_text(move.cause));
}

std::multiset<std::string> documented_moves(const std::string& heading) {
  std::multiset<std::string> moves;
  const std::vector<Cells> rows = table_under(heading);
  EXPECT_EQ(rows.front(), (Cells{"from", "to", "causes"}));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), 3u);
    for (const std::string& cause : split_trimmed(rows[i].at(2), ',')) {
      moves.insert(rows[i].at(0) + " | " + rows[i].at(1) + " | " + cause);
    }
  }
  return moves;
}

std::multiset<std::string> coded_moves(bool reopen_only) {
  std::multiset<std::string> moves;
  for (const LegalMove& move : legal_moves()) {
    if (move.reopen_only == reopen_only) moves.insert(row_text(move));
  }
  return moves;
}

TEST(StatesDocument, TellsEveryStateItsStatusAndWhetherItEnded) {
  const std::vector<Cells> rows = table_under("States");
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(state_count) + 1);
  for (int i = 0; i < state_count; ++i) {
    const auto state = static_cast<State>(i);
    const Cells& row = rows.at(static_cast<std::size_t>(i) + 1);
    SCOPED_TRACE(to_text(state));
    ASSERT_EQ(row.size(), 4u);
    EXPECT_EQ(row[0], to_text(state));
    EXPECT_FALSE(row[1].empty());
    EXPECT_EQ(row[2], to_text(status_of(state)));
    EXPECT_EQ(row[3], is_terminal(state) ? "yes" : "no");
  }
}

TEST(StatesDocument, ListsExactlyTheLegalMoves) {
  EXPECT_EQ(documented_moves("Legal moves"), coded_moves(false));
  EXPECT_EQ(documented_moves("Moves under `reopen`"), coded_moves(true));
}

TEST(StatesDocument, ExplainsEveryCause) {
  const std::vector<Cells> rows = table_under("Causes");
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(cause_count) + 1);
  for (int i = 0; i < cause_count; ++i) {
    EXPECT_EQ(rows.at(static_cast<std::size_t>(i) + 1).at(0), to_text(static_cast<Cause>(i)));
  }
}

TEST(StatesDocument, DrawsEveryStateAndEveryCauseOfTheFirstTable) {
  const std::string drawn = diagram();
  for (int i = 0; i < state_count; ++i) {
    const std::string word(to_text(static_cast<State>(i)));
    EXPECT_TRUE(has_box(drawn, word)) << word << " has no box";
  }
  for (const LegalMove& move : legal_moves()) {
    if (move.reopen_only) continue;
    EXPECT_NE(drawn.find(to_text(move.cause)), std::string::npos) << row_text(move);
  }
}

TEST(StatesDocument, NamesTheCounters) {
  const std::vector<Cells> rows = table_under("Counters");
  std::vector<std::string> names;
  for (std::size_t i = 1; i < rows.size(); ++i) names.push_back(rows[i].at(0));
  EXPECT_EQ(names, (std::vector<std::string>{"attempt", "failures", "crashes", "retryCount",
                                             "epoch", "version"}));
}

TEST(StatesDocument, HasAWordForEveryStateInEveryProfile) {
  const std::vector<Cells> rows = table_under("The words of each profile");
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(state_count) + 1);
  Cells header = {"state"};
  for (std::string_view name : profile_names()) header.emplace_back(name);
  EXPECT_EQ(rows.front(), header);
  for (int i = 0; i < state_count; ++i) {
    const Cells& row = rows.at(static_cast<std::size_t>(i) + 1);
    EXPECT_EQ(row.size(), header.size());
    EXPECT_EQ(row.at(0), to_text(static_cast<State>(i)));
    EXPECT_EQ(row.at(1), row.at(0)) << "the native words are our own";
  }
}

TEST(WordsDocument, SaysOneSentenceAboutEachWordInOrder) {
  std::ifstream in("docs/words.md");
  std::vector<std::string> words;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("- **")) continue;
    const std::size_t end = line.find("**: ");
    ASSERT_NE(end, std::string::npos) << line;
    words.push_back(line.substr(4, end - 4));
    const std::string sentence = line.substr(end + 4);
    EXPECT_TRUE(sentence.ends_with('.')) << line;
    EXPECT_EQ(sentence.find(". "), std::string::npos) << "more than one sentence: " << line;
  }
  EXPECT_TRUE(std::ranges::is_sorted(words));
  EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
  for (const char* word :
       {"attempt",  "catalog", "claim",     "epoch",  "fence",    "hand-off", "job event", "job",
        "job type", "lease",   "namespace", "node",   "once-key", "promote",  "prune",     "queue",
        "reap",     "redrive", "resolve",   "settle", "sweep",    "wake-up",  "worker"}) {
    EXPECT_TRUE(std::ranges::binary_search(words, std::string(word))) << word << " is missing";
  }
}

}  // namespace
}  // namespace longshore
