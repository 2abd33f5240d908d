#include <algorithm>

#include "core/policy/profiles.h"
#include "unit/core/events.h"

namespace longshore {

std::vector<Rules> rule_sets() {
  std::vector<Rules> all;
  for (std::string_view name : profile_names()) all.push_back(*profile(name));
  const auto toggle = [&](std::string name, auto change) {
    Rules rules;
    rules.profile = "native, " + name;
    change(rules);
    all.push_back(rules);
  };
  toggle("countFailure", [](Rules& r) { r.on_lease_lost = Rules::OnLeaseLost::count_failure; });
  toggle("waitTimeout", [](Rules& r) { r.on_lease_lost = Rules::OnLeaseLost::wait_timeout; });
  toggle("no maxCrashes", [](Rules& r) { r.max_crashes.reset(); });
  toggle("delay on timeout", [](Rules& r) { r.delay_on_timeout = Rules::DelayOnTimeout::backoff; });
  toggle("recovers all",
         [](Rules& r) { r.recover_on_start = Rules::RecoverOnStart::every_running; });
  toggle("recovers nothing", [](Rules& r) { r.recover_on_start = Rules::RecoverOnStart::nothing; });
  toggle("clean runs", [](Rules& r) { r.checkpoint_survives = false; });
  toggle("systemClaim", [](Rules& r) { r.cancel_path = Rules::CancelPath::system_claim; });
  toggle("reopen", [](Rules& r) { r.terminal = Rules::Terminal::reopen; });
  toggle("twoPhase", [](Rules& r) { r.accept = Rules::Accept::two_phase; });
  toggle("NO_HANDLER counts", [](Rules& r) { r.count_no_handler = true; });
  toggle("long lease", [](Rules& r) { r.lease = Duration::seconds(300); });
  toggle("lease is timeout", [](Rules& r) { r.lease_is_timeout = true; });
  toggle("lease in thirds", [](Rules& r) {
    r.lease = Duration::seconds(3000);
    r.lease_in_thirds = true;
  });
  toggle("other moves refused", [](Rules& r) { r.other_moves = Rules::OtherMoves::refused; });
  toggle("no back-off", [](Rules& r) { r.policy.backoff.kind = Backoff::Kind::none; });
  toggle("fixed back-off", [](Rules& r) { r.policy.backoff.kind = Backoff::Kind::fixed; });
  toggle("no back-off, countFailure", [](Rules& r) {
    r.policy.backoff.kind = Backoff::Kind::none;
    r.on_lease_lost = Rules::OnLeaseLost::count_failure;
    r.delay_on_timeout = Rules::DelayOnTimeout::backoff;
  });
  toggle("NO_HANDLER counts, no back-off", [](Rules& r) {
    r.policy.backoff.kind = Backoff::Kind::none;
    r.count_no_handler = true;
  });
  toggle("reopen, systemClaim", [](Rules& r) {
    r.terminal = Rules::Terminal::reopen;
    r.cancel_path = Rules::CancelPath::system_claim;
  });
  return all;
}

std::map<std::string, std::string> options_of(const Rules& rules) {
  using Lost = Rules::OnLeaseLost;
  // Every job of the table has a timeout of 1,800 s.
  const Duration third = Duration::seconds(600);
  const Duration lease = rules.lease_in_thirds ? std::min(rules.lease, third) : rules.lease;
  const Lost lost = rules.on_lease_lost;
  return {
      {"onLeaseLost", lost == Lost::requeue         ? "requeue"
                      : lost == Lost::count_failure ? "countFailure"
                                                    : "waitTimeout"},
      {"maxCrashes", rules.max_crashes ? std::to_string(*rules.max_crashes) : "unlimited"},
      {"delayOnTimeout",
       rules.delay_on_timeout == Rules::DelayOnTimeout::none ? "none" : "backoff"},
      {"checkpoint", rules.checkpoint_survives ? "yes" : "no"},
      {"cancel", rules.cancel_path == Rules::CancelPath::direct ? "direct" : "systemClaim"},
      {"terminal", rules.terminal == Rules::Terminal::fixed ? "fixed" : "reopen"},
      {"noHandler", rules.count_no_handler ? "counted" : "uncounted"},
      {"backoff", rules.policy.backoff.kind == Backoff::Kind::none ? "none" : "some"},
      {"leaseSeconds", rules.lease_is_timeout ? "timeout" : std::to_string(lease.count() / 1000)},
      {"otherMoves", rules.other_moves == Rules::OtherMoves::allowed ? "allowed" : "refused"},
  };
}

}  // namespace longshore
