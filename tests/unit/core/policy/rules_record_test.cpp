#include "core/policy/rules_record.h"

#include <gtest/gtest.h>

#include "core/policy/profiles.h"
#include "core/policy/rules_text.h"

namespace longshore {
namespace {

RulesRecord changed(const RulesRecord& record, const SetRules& set) {
  return std::get<RulesRecord>(decide_rules(record, set));
}

TEST(RulesRecordText, ReadsBackWhatItWrote) {
  RulesRecord record = first_record(*profile("scheduler"));
  record = changed(record, {.rules = {{"timeoutSeconds", "60"}}, .source = "a", .revision = 3});
  record = changed(record, {.rules = {{"maxCrashes", "unlimited"}}, .source = "b", .revision = 1});
  record = changed(record, {.rules = {{"maxCrashes", "1"}}});
  EXPECT_EQ(parse_record(record_text(record)), record);
  EXPECT_EQ(record.usual, profile("scheduler")->policy);
  EXPECT_EQ(record.crashes_ever, std::nullopt);
  EXPECT_EQ(record.for_audit().max_crashes, std::nullopt);
}

TEST(RulesRecordText, OfVersionOneIsTheRulesAlone) {
  const auto record = parse_record(rules_text(*profile("basic")));
  ASSERT_TRUE(record);
  EXPECT_EQ(*record, first_record(*profile("basic")));
  EXPECT_EQ(record->revision("default"), 0);
}

TEST(RulesRecordText, OfANewerVersionIsNotGuessed) {
  EXPECT_FALSE(parse_record(rules_text(Rules()) + "later 1\n"));
  const auto agreed = agree_on_rules(rules_text(Rules()) + "later 1\n", Rules(), "jobs.db", "");
  ASSERT_FALSE(agreed.ok());
  EXPECT_NE(agreed.error().message.find("use a newer version"), std::string::npos);
}

TEST(RulesRecord, SaysWhatToDoAboutOtherRules) {
  const std::string text = record_text(first_record(*profile("basic")));
  const auto refused = agree_on_rules(text, Rules(), "jobs.db", "use another file");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "jobs.db was created with other rules, which cannot be changed: profile is basic in "
            "the store and native here; open it with profile basic and the rules it was created "
            "with, or use another file");
  Rules longer = *profile("basic");
  longer.lease = Duration::seconds(77);
  EXPECT_EQ(agree_on_rules(text, longer, "jobs.db", "").value().rules, *profile("basic"));
}

TEST(RulesRecord, WritesOldAndNewValuesToTheAuditTrail) {
  const RulesRecord before = first_record(Rules());
  const SetRules set{.rules = {{"timeoutSeconds", "60"}, {"maxRetries", "1"}}, .revision = 5};
  EXPECT_EQ(audit_target(before, changed(before, set), set),
            "default 5: timeoutSeconds 1800 to 60, maxRetries 3 to 1");
}

TEST(RulesCopyTest, DoesNotReplaceANewerRecord) {
  RulesCopy copy(first_record(Rules()));
  const auto known = copy.get();
  copy.put(first_record(*profile("basic")));
  copy.put_after(known, first_record(*profile("external")));
  EXPECT_EQ(copy.get()->rules.profile, "basic");
  copy.put_after(copy.get(), first_record(*profile("external")));
  EXPECT_EQ(copy.get()->rules.profile, "external");
}

}  // namespace
}  // namespace longshore
