#include "core/policy/profiles.h"

#include <array>

namespace longshore {
namespace {

constexpr std::array<std::string_view, 6> names = {"native",    "basic",    "endpoints",
                                                   "scheduler", "external", "orchestrator"};

constexpr Retention never = {
    .success = Duration::forever(), .canceled = Duration::forever(), .dead = Duration::forever()};

Rules basic() {
  Rules rules;
  rules.policy.timeout = Duration::seconds(30);
  rules.lease = Duration::seconds(10);
  rules.lease_in_thirds = true;
  rules.policy.backoff.kind = Backoff::Kind::none;
  rules.max_crashes.reset();
  rules.recover_on_start = Rules::RecoverOnStart::every_running;
  rules.checkpoint_survives = false;
  rules.cancel_path = Rules::CancelPath::system_claim;
  rules.count_no_handler = true;
  rules.retention = never;
  return rules;
}

Rules endpoints() {
  Rules rules;
  rules.lease = Duration::seconds(300);
  rules.policy.backoff.jitter = 0;
  rules.policy.backoff.max.reset();
  rules.delay_on_timeout = Rules::DelayOnTimeout::backoff;
  rules.on_lease_lost = Rules::OnLeaseLost::count_failure;
  rules.max_crashes.reset();
  rules.recover_on_start = Rules::RecoverOnStart::nothing;
  rules.sweep_every = Duration::seconds(300);
  rules.terminal = Rules::Terminal::reopen;
  rules.claim_limit = 10;
  return rules;
}

Rules scheduler() {
  Rules rules;
  rules.delay_on_timeout = Rules::DelayOnTimeout::backoff;
  rules.recover_on_start = Rules::RecoverOnStart::nothing;
  rules.cancel_path = Rules::CancelPath::system_claim;
  rules.claim_limit = 1;
  return rules;
}

Rules external() {
  Rules rules;
  rules.policy.timeout = Duration::seconds(86400);
  rules.policy.max_retries = 0;
  rules.lease_is_timeout = true;
  rules.delay_on_timeout = Rules::DelayOnTimeout::backoff;
  rules.on_lease_lost = Rules::OnLeaseLost::wait_timeout;
  rules.max_crashes.reset();
  rules.recover_on_start = Rules::RecoverOnStart::nothing;
  rules.cancel_path = Rules::CancelPath::system_claim;
  rules.retention = never;
  return rules;
}

Rules orchestrator() {
  Rules rules = scheduler();
  rules.accept = Rules::Accept::two_phase;
  rules.other_moves = Rules::OtherMoves::refused;
  rules.retention = never;
  return rules;
}

}  // namespace

std::span<const std::string_view> profile_names() { return names; }

std::optional<Rules> profile(std::string_view name) {
  std::optional<Rules> rules;
  if (name == "native") rules = Rules();
  if (name == "basic") rules = basic();
  if (name == "endpoints") rules = endpoints();
  if (name == "scheduler") rules = scheduler();
  if (name == "external") rules = external();
  if (name == "orchestrator") rules = orchestrator();
  if (rules) rules->profile = name;
  return rules;
}

}  // namespace longshore
