// Holds the rules to lifecycle_table.txt: every situation, every event, under every option.
#include "unit/core/lifecycle_table.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "core/record/soundness.h"
#include "core/rules/lifecycle.h"
#include "unit/core/apply.h"
#include "unit/core/events.h"
#include "unit/core/situations.h"

namespace longshore {
namespace {

constexpr const char* table_path = "tests/unit/core/lifecycle_table.txt";

LifecycleTable the_table() {
  TableNames names;
  names.options = options_of(Rules());
  for (const Situation& situation : situations(Rules())) names.situations.push_back(situation.name);
  for (const Event& event : events()) names.events.push_back(event.name);
  return read_lifecycle_table(table_path, names);
}

std::string in_words(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.rule + " (" + finding.what + ") ";
  return text;
}

std::string check(JobRecord record, const Rules& rules) {
  std::vector<Finding> findings;
  check_record(record, rules, findings);
  return in_words(findings);
}

// Asks one cell; true if its row was right.
void ask(LifecycleTable& table, const Situation& situation, const Event& event, const Rules& rules,
         const Options& options) {
  const std::vector<TableRow*> rows = table.find(situation.name, event.name, options);
  if (rows.size() != 1) {
    std::string lines;
    for (const TableRow* row : rows) lines += " " + std::to_string(row->line);
    ADD_FAILURE() << rows.size() << " rows answer this cell, lines" << lines;
    return;
  }
  TableRow& row = *rows.front();
  row.used += 1;
  const Decision decision = event.happens(situation, rules);
  const Answer answer = describe(situation.record.job, decision, table_now);
  EXPECT_EQ(to_text(row.answer), to_text(answer)) << "as line " << row.line << " says";
  const Change* change = std::get_if<Change>(&decision);
  if (change == nullptr) return;
  EXPECT_EQ(change->guard.version, situation.record.job.version);
  EXPECT_LE(change->guard.not_before, table_now);
  EXPECT_GT(change->guard.before, table_now);
  if (event.has_asker) {
    EXPECT_FALSE(std::holds_alternative<Refusal>(change->verdict)) << "nobody is answered";
  }
  JobRecord after = situation.record;
  apply(after, *change);
  EXPECT_EQ(check(after, rules), "");
}

TEST(LifecycleTable, CanBeReadWholly) {
  const LifecycleTable table = the_table();
  for (const std::string& fault : table.faults) ADD_FAILURE() << fault;
}

TEST(LifecycleTable, StartsFromSoundRecords) {
  LifecycleTable table = the_table();
  for (const Rules& rules : rule_sets()) {
    SCOPED_TRACE(rules.profile);
    for (const Situation& situation : situations(rules)) {
      SCOPED_TRACE(situation.name);
      if (holds(table.only[situation.name], options_of(rules))) {
        EXPECT_EQ(check(situation.record, rules), "");
      }
    }
  }
}

TEST(LifecycleTable, CoversEveryState) {
  std::set<State> states;
  for (const Situation& situation : situations(Rules())) states.insert(situation.record.job.state);
  EXPECT_EQ(states.size(), static_cast<std::size_t>(state_count));
}

TEST(LifecycleTable, AnswersEveryEventInEverySituationUnderEveryOption) {
  LifecycleTable table = the_table();
  const std::vector<Event> all_events = events();
  const std::vector<Rules> all_rules = rule_sets();
  std::size_t cells = 0;
  std::set<std::string> pairs;
  for (const Rules& rules : all_rules) {
    const Options options = options_of(rules);
    for (const Situation& situation : situations(rules)) {
      if (!holds(table.only[situation.name], options)) continue;
      for (const Event& event : all_events) {
        SCOPED_TRACE(situation.name + " | " + event.name + " | " + rules.profile);
        ask(table, situation, event, rules, options);
        cells += 1;
        pairs.insert(situation.name + "|" + event.name);
      }
    }
  }
  for (const TableRow& row : table.rows) {
    EXPECT_GT(row.used, 0) << "line " << row.line << " answers nothing";
  }
  std::printf(
      "lifecycle table: %zu cells (%zu pairs of situation and event, %zu sets of rules), "
      "%zu rows, all used\n",
      cells, pairs.size(), all_rules.size(), table.rows.size());
}

// Reading must notice what a person gets wrong; otherwise a table that says nothing would pass.
TEST(LifecycleTable, IsNotReadWhenItNamesWhatDoesNotExist) {
  const std::string path = testing::TempDir() + "broken_table.txt";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(
      "a, c | go | always | nothing\na | went | always | nothing\n"
      "a | go | color=red | nothing\na | go | nothing\ngroup g\n",
      file);
  std::fclose(file);
  TableNames names{.situations = {"a", "b"}, .events = {"go"}, .options = {{"size", "1"}}};
  EXPECT_EQ(read_lifecycle_table(path, names).faults.size(), 5u);
}

}  // namespace
}  // namespace longshore
