#include "core/policy/rules_text.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/policy/profiles.h"

namespace longshore {
namespace {

TEST(RulesText, DiffersForEveryProfileAndEveryOption) {
  std::set<std::string> texts;
  for (const std::string_view name : profile_names()) texts.insert(rules_text(*profile(name)));
  EXPECT_EQ(texts.size(), profile_names().size());

  const std::function<void(Rules&)> changes[] = {
      [](Rules& r) { r.policy.max_retries = 9; },
      [](Rules& r) { r.policy.backoff.jitter = 0.7; },
      [](Rules& r) { r.policy.backoff.max.reset(); },
      [](Rules& r) { r.lease = Duration::seconds(9); },
      [](Rules& r) { r.lease_is_timeout = true; },
      [](Rules& r) { r.lease_in_thirds = true; },
      [](Rules& r) { r.other_moves = Rules::OtherMoves::refused; },
      [](Rules& r) { r.delay_on_timeout = Rules::DelayOnTimeout::backoff; },
      [](Rules& r) { r.on_lease_lost = Rules::OnLeaseLost::count_failure; },
      [](Rules& r) { r.max_crashes.reset(); },
      [](Rules& r) { r.recover_on_start = Rules::RecoverOnStart::nothing; },
      [](Rules& r) { r.checkpoint_survives = false; },
      [](Rules& r) { r.cancel_path = Rules::CancelPath::system_claim; },
      [](Rules& r) { r.terminal = Rules::Terminal::reopen; },
      [](Rules& r) { r.accept = Rules::Accept::two_phase; },
      [](Rules& r) { r.count_no_handler = true; },
      [](Rules& r) { r.retention.success = Duration::days(1); },
      [](Rules& r) { r.retention.canceled = Duration::days(1); },
      [](Rules& r) { r.retention.dead = Duration::days(1); },
      [](Rules& r) { r.claim_limit = 3; },
      [](Rules& r) { r.sweep_every = Duration::seconds(9); },
      [](Rules& r) { r.stuck_after = Duration::seconds(9); },
      [](Rules& r) { r.accept_after = Duration::seconds(9); },
      [](Rules& r) { r.key_outlives_job = Duration::days(9); },
  };
  std::set<std::string> changed = {rules_text(Rules{})};
  for (const auto& change : changes) {
    Rules rules;
    change(rules);
    changed.insert(rules_text(rules));
  }
  EXPECT_EQ(changed.size(), std::size(changes) + 1);
}

TEST(RulesText, ReadsBackWhatItWrote) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    std::string others;
    EXPECT_EQ(parse_rules_text(rules_text(*profile(name)), others), profile(name));
    EXPECT_EQ(others, "");
  }
  Rules own;
  own.profile = "my own";
  own.lease_in_thirds = true;
  own.other_moves = Rules::OtherMoves::refused;
  std::string others;
  EXPECT_EQ(parse_rules_text(rules_text(own), others), own);
}

// Written by version 0.1 for profile basic.
constexpr std::string_view first_text =
    "profile basic\npolicy 3 30000 2 2000 3600000 0.1\nlease 30000\nleaseIsTimeout 0\n"
    "delayOnTimeout 0\nonLeaseLost 0\nmaxCrashes unlimited\nrecoverOnStart 1\n"
    "checkpointSurvives 0\ncancelPath 1\nterminal 0\naccept 0\ncountNoHandler 1\n"
    "keepSuccess 9223372036854775807\nkeepCanceled 9223372036854775807\n"
    "keepDead 9223372036854775807\nclaimLimit 1000\nsweepEvery 1000\nstuckAfter 60000\n"
    "acceptAfter 5000\nkeyOutlivesJob 2592000000\n";

TEST(RulesText, OfAnOlderVersionLeavesTheRestToTheProfile) {
  std::string others;
  const auto rules = parse_rules_text(first_text, others);
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->lease, Duration::seconds(30));
  EXPECT_EQ(rules->retention.success, Duration::forever());
  EXPECT_EQ(rules->lease_in_thirds, profile("basic")->lease_in_thirds);
  EXPECT_EQ(rules->other_moves, profile("basic")->other_moves);
}

TEST(RulesText, IsNothingElse) {
  std::string others;
  for (const char* text :
       {"", "profile", "profile native", "lease 30000\n", "profile native\nlease x\n",
        "profile native\nterminal 2\n", "profile native\nlease\n"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_rules_text(text, others));
  }
  EXPECT_TRUE(parse_rules_text("profile native\nlater 1 2\n", others));
  EXPECT_EQ(others, "later 1 2\n");
}

TEST(PolicyText, ReadsBackWhatItWrote) {
  const Policy policies[] = {
      {},
      {.max_retries = 0, .timeout = Duration::millis(1), .backoff = {.max = std::nullopt}},
      {.backoff = {.kind = Backoff::Kind::fixed, .base = Duration::millis(7), .jitter = 1.0 / 3}},
      {.backoff = {.kind = Backoff::Kind::none, .jitter = 0}},
  };
  for (const Policy& policy : policies) {
    SCOPED_TRACE(policy_text(policy));
    EXPECT_EQ(parse_policy(policy_text(policy)), policy);
  }
}

TEST(PolicyText, IsNothingElse) {
  for (const char* text : {"", "3", "3 1800000 0 2000 3600000", "3 1800000 9 2000 3600000 0.1",
                           "3 1800000 0 2000 3600000 0.1 1", "x 1800000 0 2000 3600000 0.1"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_policy(text).has_value());
  }
}

}  // namespace
}  // namespace longshore
