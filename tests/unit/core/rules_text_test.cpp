#include "core/rules_text.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/profiles.h"

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

TEST(RulesText, NamesTheFirstDifference) {
  Rules other;
  other.claim_limit = 3;
  const auto [mine, theirs] = first_difference(rules_text(Rules{}), rules_text(other));
  EXPECT_EQ(mine, "claimLimit 1000");
  EXPECT_EQ(theirs, "claimLimit 3");
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
