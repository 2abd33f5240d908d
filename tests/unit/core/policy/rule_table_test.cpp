#include "core/policy/rule_table.h"

#include <gtest/gtest.h>

#include "core/policy/profiles.h"

namespace longshore {
namespace {

std::vector<std::string> sentences(const Rules& stored, const Rules& asked, bool fixed) {
  std::vector<std::string> all;
  for (const RuleDifference& each : differences(stored, asked)) {
    if (each.fixed == fixed) all.push_back(difference_text(each));
  }
  return all;
}

TEST(RuleTable, DescribesDifferences) {
  Rules asked;
  asked.policy.timeout = Duration::seconds(60);
  asked.policy.backoff.max.reset();
  asked.lease_is_timeout = true;
  asked.max_crashes.reset();
  asked.retention.success = Duration::millis(1500);
  asked.terminal = Rules::Terminal::reopen;
  const std::vector<std::string> changeable = {
      "timeoutSeconds is 1800 in the store and 60 here",
      "backoffMaxSeconds is 3600 in the store and never here",
      "leaseSeconds is 30 in the store and never here",
      "maxCrashes is 5 in the store and unlimited here",
      "keepSuccess is 604800 in the store and 1.5 here"};
  EXPECT_EQ(sentences(Rules(), asked, false), changeable);
  EXPECT_EQ(sentences(Rules(), asked, true),
            std::vector<std::string>{"terminal is fixed in the store and reopen here"});
  EXPECT_TRUE(differences(asked, asked).empty());
}

TEST(RuleTable, ListsOnlyTheProfileIfProfilesDiffer) {
  const auto all = differences(*profile("basic"), *profile("native"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(difference_text(all[0]), "profile is basic in the store and native here");
  EXPECT_TRUE(all[0].fixed);
}

TEST(RuleTable, SetsEveryRuleToItsOwnText) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    Rules rules = *profile("native");
    for (const NamedRule& rule : rule_table()) {
      if (rule.set == nullptr) continue;
      EXPECT_EQ(rule.set(rules, rule.text(*profile(name))), std::nullopt) << rule.name;
    }
    rules.profile = name;
    EXPECT_TRUE(differences(rules, *profile(name)).empty());
  }
}

TEST(RuleTable, RefusesInvalidValues) {
  const std::pair<const char*, const char*> faults[] = {
      {"timeoutSeconds", "0"},   {"timeoutSeconds", "soon"}, {"maxRetries", "101"},
      {"maxRetries", "1.5"},     {"backoff", "twice"},       {"backoffBaseSeconds", "-1"},
      {"backoffJitter", "1.5"},  {"backoffJitter", "nan"},   {"leaseSeconds", "0.5"},
      {"leaseSeconds", "86401"}, {"maxCrashes", "-2"},       {"countNoHandler", "yes"},
      {"maxJobs", "0"},          {"sweepSeconds", "never"},  {"keepDead", ""},
  };
  for (const auto& [name, value] : faults) {
    SCOPED_TRACE(std::string(name) + " " + value);
    Rules rules;
    const auto fault = change_rules(rules, {{name, value}});
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->name, name);
    EXPECT_TRUE(fault->detail.starts_with(name)) << fault->detail;
    EXPECT_EQ(rules, Rules());
  }
}

TEST(RuleTable, FixesWhatStoredJobsRelyOnAndNothingElse) {
  std::vector<std::string_view> fixed;
  for (const NamedRule& rule : rule_table()) {
    if (rule.fixed) fixed.push_back(rule.name);
  }
  const std::vector<std::string_view> expected = {
      "profile",    "onLeaseLost", "recoverOnStart", "checkpointSurvives",
      "cancelPath", "terminal",    "accept",         "otherMoves"};
  EXPECT_EQ(fixed, expected);
}

TEST(RuleTable, ChangesNothingThatAProfileFixes) {
  Rules rules;
  EXPECT_TRUE(change_rules(rules, {{"accept", "twoPhase"}}));
  EXPECT_TRUE(change_rules(rules, {{"profile", "basic"}}));
  EXPECT_FALSE(change_rules(rules, {{"accept", "onePhase"}, {"profile", "native"}}));
  const auto unknown = change_rules(rules, {{"noSuchRule", "1"}});
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->unknown);
}

}  // namespace
}  // namespace longshore
