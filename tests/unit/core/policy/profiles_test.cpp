#include "core/policy/profiles.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace longshore {
namespace {

std::string seconds(Duration duration) { return std::to_string(duration.count() / 1000); }

std::string days_kept(Duration duration) {
  return duration == Duration::forever() ? "never" : std::to_string(duration.count() / 86'400'000);
}

std::string backoff_text(const Rules& rules) {
  const Backoff& backoff = rules.policy.backoff;
  if (backoff.kind == Backoff::Kind::none) return "none";
  const std::string kind = backoff.kind == Backoff::Kind::fixed ? "fixed" : "exponential";
  return kind + " " + seconds(backoff.base) + ", jitter " + (backoff.jitter == 0 ? "0" : "") +
         (backoff.jitter == 0.1 ? "0.1" : "") + ", " +
         (backoff.max ? "cap " + seconds(*backoff.max) : "no cap");
}

std::string lease_text(const Rules& rules) {
  return rules.lease_is_timeout ? "= timeout" : seconds(rules.lease);
}

std::string delay_text(const Rules& rules) {
  return rules.delay_on_timeout == Rules::DelayOnTimeout::none ? "none" : "backoff";
}

std::string lost_text(const Rules& rules) {
  constexpr const char* words[] = {"requeue", "countFailure", "waitTimeout"};
  return words[static_cast<int>(rules.on_lease_lost)];
}

std::string recover_text(const Rules& rules) {
  constexpr const char* words[] = {"own workers", "every RUNNING job", "no"};
  return words[static_cast<int>(rules.recover_on_start)];
}

std::string retention_text(const Rules& rules) {
  const Retention& kept = rules.retention;
  return days_kept(kept.success) + " " + days_kept(kept.canceled) + " " + days_kept(kept.dead);
}

std::string crashes_text(const Rules& rules) {
  return rules.max_crashes ? std::to_string(*rules.max_crashes) : "unlimited";
}

// One row of the contract's table of profiles.
struct Row {
  std::string_view option;
  std::string (*value)(const Rules&);
  std::array<std::string_view, 6> expected;  // in the order of profile_names()
};

const Row rows[] = {
    {"timeoutSeconds",
     [](const Rules& r) { return seconds(r.policy.timeout); },
     {"1800", "30", "1800", "1800", "86400", "1800"}},
    {"leaseSeconds", lease_text, {"30", "10", "300", "30", "= timeout", "30"}},
    {"leaseInThirds",
     [](const Rules& r) { return std::string(r.lease_in_thirds ? "yes" : "no"); },
     {"no", "yes", "no", "no", "no", "no"}},
    {"otherMoves",
     [](const Rules& r) {
       return std::string(r.other_moves == Rules::OtherMoves::allowed ? "allowed" : "refused");
     },
     {"allowed", "allowed", "allowed", "allowed", "allowed", "refused"}},
    {"maxRetries",
     [](const Rules& r) { return std::to_string(r.policy.max_retries); },
     {"3", "3", "3", "3", "0", "3"}},
    {"backoff",
     backoff_text,
     {"exponential 2, jitter 0.1, cap 3600", "none", "exponential 2, jitter 0, no cap",
      "exponential 2, jitter 0.1, cap 3600", "exponential 2, jitter 0.1, cap 3600",
      "exponential 2, jitter 0.1, cap 3600"}},
    {"delayOnTimeout", delay_text, {"none", "none", "backoff", "backoff", "backoff", "backoff"}},
    {"onLeaseLost",
     lost_text,
     {"requeue", "requeue", "countFailure", "requeue", "waitTimeout", "requeue"}},
    {"maxCrashes", crashes_text, {"5", "unlimited", "unlimited", "5", "unlimited", "5"}},
    {"recoverOnStart", recover_text, {"own workers", "every RUNNING job", "no", "no", "no", "no"}},
    {"checkpoint survives",
     [](const Rules& r) { return std::string(r.checkpoint_survives ? "yes" : "no"); },
     {"yes", "no", "yes", "yes", "yes", "yes"}},
    {"sweepSeconds",
     [](const Rules& r) { return seconds(r.sweep_every); },
     {"1", "1", "300", "1", "1", "1"}},
    {"cancel before a start",
     [](const Rules& r) {
       return std::string(r.cancel_path == Rules::CancelPath::direct ? "direct" : "systemClaim");
     },
     {"direct", "systemClaim", "direct", "systemClaim", "systemClaim", "systemClaim"}},
    {"terminal",
     [](const Rules& r) {
       return std::string(r.terminal == Rules::Terminal::fixed ? "fixed" : "reopen");
     },
     {"fixed", "fixed", "reopen", "fixed", "fixed", "fixed"}},
    {"retention (success, canceled, dead; days)",
     retention_text,
     {"7 7 never", "never never never", "7 7 never", "7 7 never", "never never never",
      "never never never"}},
    {"accept",
     [](const Rules& r) {
       return std::string(r.accept == Rules::Accept::one_phase ? "onePhase" : "twoPhase");
     },
     {"onePhase", "onePhase", "onePhase", "onePhase", "onePhase", "twoPhase"}},
    {"maxJobs per lease call",
     [](const Rules& r) { return std::to_string(r.claim_limit); },
     {"1000", "1000", "10", "1", "1000", "1"}},
    // Not columns of the table, but said in the text around it.
    {"NO_HANDLER",
     [](const Rules& r) { return std::string(r.count_no_handler ? "counted" : "not"); },
     {"not", "counted", "not", "not", "not", "not"}},
    {"stuckAfterSeconds",
     [](const Rules& r) { return seconds(r.stuck_after); },
     {"60", "60", "60", "60", "60", "60"}},
    {"acceptAfterSeconds",
     [](const Rules& r) { return seconds(r.accept_after); },
     {"5", "5", "5", "5", "5", "5"}},
    {"idempotency key outlives its job (days)",
     [](const Rules& r) { return days_kept(r.key_outlives_job); },
     {"30", "30", "30", "30", "30", "30"}},
};

TEST(Profiles, HaveTheirNames) {
  const std::array<std::string_view, 6> expected = {"native",    "basic",    "endpoints",
                                                    "scheduler", "external", "orchestrator"};
  ASSERT_EQ(profile_names().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(profile_names()[i], expected[i]);
    EXPECT_EQ(profile(expected[i])->profile, expected[i]);
  }
  EXPECT_EQ(profile("Native"), std::nullopt);
  EXPECT_EQ(profile(""), std::nullopt);
}

TEST(Profiles, HoldWhatTheContractSaysInEachCell) {
  for (std::size_t i = 0; i < profile_names().size(); ++i) {
    const Rules rules = *profile(profile_names()[i]);
    for (const Row& row : rows) {
      SCOPED_TRACE(std::string(profile_names()[i]) + ": " + std::string(row.option));
      EXPECT_EQ(row.value(rules), row.expected[i]);
    }
  }
}

TEST(Profiles, CallNativeWhatRulesAreByDefault) { EXPECT_EQ(*profile("native"), Rules()); }

}  // namespace
}  // namespace longshore
