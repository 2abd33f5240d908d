#include "server/rule_options.h"

#include <charconv>

#include "core/profiles.h"
#include "server/duration_text.h"

namespace longshore {
namespace {

using Kind = Option::Kind;

// The value has been checked against its option.
Duration duration(std::string_view value) { return parse_duration(value).value_or(Duration()); }
bool truth(std::string_view value) { return value == "true" || value == "1"; }
template <class Number>
Number number(std::string_view value) {
  Number parsed = 0;
  std::from_chars(value.data(), value.data() + value.size(), parsed);
  return parsed;
}

struct Rule {
  Option option;
  void (*set)(Rules& rules, std::string_view value);
};

using Text = std::string_view;

const std::vector<Rule> table = {
    {{.name = "rules.timeout-seconds",
      .kind = Kind::duration,
      .help = "how long one attempt may take"},
     [](Rules& to, Text text) { to.policy.timeout = duration(text); }},
    {{.name = "rules.max-retries",
      .kind = Kind::natural,
      .help = "retries after counted failures",
      .most = 100},
     [](Rules& to, Text text) { to.policy.max_retries = number<int>(text); }},
    {{.name = "rules.backoff",
      .kind = Kind::choice,
      .help = "how the wait grows from failure to failure",
      .words = {"exponential", "fixed", "none"}},
     [](Rules& to, Text text) {
       to.policy.backoff.kind = text == "none"    ? Backoff::Kind::none
                                : text == "fixed" ? Backoff::Kind::fixed
                                                  : Backoff::Kind::exponential;
     }},
    {{.name = "rules.backoff-base-seconds",
      .kind = Kind::duration,
      .help = "the wait after the first failure"},
     [](Rules& to, Text text) { to.policy.backoff.base = duration(text); }},
    {{.name = "rules.backoff-max-seconds",
      .kind = Kind::duration,
      .help = "the longest wait, before jitter; never: it grows without end"},
     [](Rules& to, Text text) {
       to.policy.backoff.max = duration(text);
       if (text == "never") to.policy.backoff.max.reset();
     }},
    {{.name = "rules.backoff-jitter",
      .kind = Kind::fraction,
      .help = "the part by which a wait may be longer or shorter, 0 to 1"},
     [](Rules& to, Text text) { to.policy.backoff.jitter = number<double>(text); }},
    {{.name = "rules.lease-seconds",
      .kind = Kind::duration,
      .help = "how long a lease lasts that names no time; never: as long as the job's timeout"},
     [](Rules& to, Text text) {
       to.lease_is_timeout = text == "never";
       if (!to.lease_is_timeout) to.lease = duration(text);
     }},
    {{.name = "rules.delay-on-timeout",
      .kind = Kind::choice,
      .help = "whether a timeout is retried at once or after the back-off",
      .words = {"none", "backoff"}},
     [](Rules& to, Text text) {
       to.delay_on_timeout =
           text == "none" ? Rules::DelayOnTimeout::none : Rules::DelayOnTimeout::backoff;
     }},
    {{.name = "rules.on-lease-lost",
      .kind = Kind::choice,
      .help = "what becomes of a job whose worker was not heard of",
      .words = {"requeue", "countFailure", "waitTimeout"}},
     [](Rules& to, Text text) {
       to.on_lease_lost = text == "requeue"        ? Rules::OnLeaseLost::requeue
                          : text == "countFailure" ? Rules::OnLeaseLost::count_failure
                                                   : Rules::OnLeaseLost::wait_timeout;
     }},
    {{.name = "rules.max-crashes",
      .kind = Kind::natural,
      .help = "lost leases after which one more kills a job; -1: any number",
      .least = -1,
      .most = 1'000'000},
     [](Rules& to, Text text) {
       to.max_crashes = number<int>(text);
       if (*to.max_crashes < 0) to.max_crashes.reset();
     }},
    {{.name = "rules.recover-on-start",
      .kind = Kind::choice,
      .help = "what a starting node takes back at once",
      .words = {"ownWorkers", "everyRunning", "no"}},
     [](Rules& to, Text text) {
       to.recover_on_start = text == "ownWorkers" ? Rules::RecoverOnStart::own_workers
                             : text == "no"       ? Rules::RecoverOnStart::nothing
                                                  : Rules::RecoverOnStart::every_running;
     }},
    {{.name = "rules.checkpoint-survives",
      .kind = Kind::boolean,
      .help = "whether the next attempt is given the checkpoint of the last"},
     [](Rules& to, Text text) { to.checkpoint_survives = truth(text); }},
    {{.name = "rules.cancel-path",
      .kind = Kind::choice,
      .help = "how a job that must not run leaves: straight, or through a claim by `system`",
      .words = {"direct", "systemClaim"}},
     [](Rules& to, Text text) {
       to.cancel_path =
           text == "direct" ? Rules::CancelPath::direct : Rules::CancelPath::system_claim;
     }},
    {{.name = "rules.terminal",
      .kind = Kind::choice,
      .help = "whether ended jobs stay as they are or may be taken up again in place",
      .words = {"fixed", "reopen"}},
     [](Rules& to, Text text) {
       to.terminal = text == "fixed" ? Rules::Terminal::fixed : Rules::Terminal::reopen;
     }},
    {{.name = "rules.accept",
      .kind = Kind::choice,
      .help = "whether a job is accepted in the commit that records it, or by a second one",
      .words = {"onePhase", "twoPhase"}},
     [](Rules& to, Text text) {
       to.accept = text == "onePhase" ? Rules::Accept::one_phase : Rules::Accept::two_phase;
     }},
    {{.name = "rules.count-no-handler",
      .kind = Kind::boolean,
      .help = "whether NO_HANDLER is a counted failure"},
     [](Rules& to, Text text) { to.count_no_handler = truth(text); }},
    {{.name = "rules.max-jobs",
      .kind = Kind::natural,
      .help = "most jobs that one call for leases may ask for",
      .least = 1,
      .most = 1000},
     [](Rules& to, Text text) { to.claim_limit = number<int>(text); }},
    {{.name = "rules.sweep-seconds",
      .kind = Kind::duration,
      .help = "how often ended leases and stuck jobs are looked for"},
     [](Rules& to, Text text) { to.sweep_every = duration(text); }},
    {{.name = "rules.stuck-after-seconds",
      .kind = Kind::duration,
      .help = "how long a queued job waits before the sweep looks after it"},
     [](Rules& to, Text text) { to.stuck_after = duration(text); }},
    {{.name = "rules.accept-after-seconds",
      .kind = Kind::duration,
      .help = "how old a recorded job is before the sweep accepts it"},
     [](Rules& to, Text text) { to.accept_after = duration(text); }},
    {{.name = "rules.keep-success",
      .kind = Kind::duration,
      .help = "how long jobs that succeeded are kept"},
     [](Rules& to, Text text) { to.retention.success = duration(text); }},
    {{.name = "rules.keep-canceled",
      .kind = Kind::duration,
      .help = "how long canceled jobs are kept"},
     [](Rules& to, Text text) { to.retention.canceled = duration(text); }},
    {{.name = "rules.keep-dead", .kind = Kind::duration, .help = "how long dead letters are kept"},
     [](Rules& to, Text text) { to.retention.dead = duration(text); }},
    {{.name = "rules.keep-keys",
      .kind = Kind::duration,
      .help = "how long an idempotency key outlives its job"},
     [](Rules& to, Text text) { to.key_outlives_job = duration(text); }},
};

Error invalid(const std::string& what) { return {Errc::invalid, what}; }

// What no store could work by.
std::optional<Error> fault(const Rules& rules) {
  if (rules.policy.timeout <= Duration()) return invalid("rules.timeout-seconds must be above 0");
  if (!rules.lease_is_timeout &&
      (rules.lease < Duration::seconds(1) || rules.lease > Duration::days(1))) {
    return invalid("rules.lease-seconds must be from 1 to 86400, or never");
  }
  if (rules.sweep_every < Duration::millis(10) || rules.sweep_every > Duration::hours(1)) {
    return invalid("rules.sweep-seconds must be from 0.01 to 3600");
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Option>& rule_options() {
  static const std::vector<Option> options = [] {
    std::vector<Option> all;
    for (const Rule& rule : table) all.push_back(rule.option);
    return all;
  }();
  return options;
}

Result<Rules> rules_of(const Settings& settings) {
  std::optional<Rules> rules = profile(settings.text("profile"));
  if (!rules) return invalid("there is no profile \"" + settings.text("profile") + "\"");
  for (const Rule& rule : table) {
    const std::string value = settings.text(rule.option.name);
    if (!value.empty()) rule.set(*rules, value);
  }
  if (auto wrong = fault(*rules)) return *wrong;
  return *rules;
}

}  // namespace longshore
