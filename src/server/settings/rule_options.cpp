#include "server/settings/rule_options.h"

#include <algorithm>

#include "core/assert.h"
#include "core/policy/profiles.h"
#include "core/policy/rule_table.h"
#include "server/settings/duration_text.h"

namespace longshore {
namespace {

using Kind = Option::Kind;

const std::vector<Option> table = {
    {.name = "rules.timeout-seconds", .kind = Kind::duration, .help = "time limit of one attempt"},
    {.name = "rules.max-retries", .kind = Kind::natural, .help = "number of retries", .most = 100},
    {.name = "rules.backoff",
     .kind = Kind::choice,
     .help = "how the delay before a retry grows",
     .words = {"exponential", "fixed", "none"}},
    {.name = "rules.backoff-base-seconds",
     .kind = Kind::duration,
     .help = "delay before the first retry"},
    {.name = "rules.backoff-max-seconds",
     .kind = Kind::duration,
     .help = "maximum delay before jitter; never: no maximum"},
    {.name = "rules.backoff-jitter",
     .kind = Kind::fraction,
     .help = "random part of a delay, 0 to 1"},
    {.name = "rules.lease-seconds",
     .kind = Kind::duration,
     .help = "duration of a lease if the worker sets none; never: the job's timeout"},
    {.name = "rules.lease-in-thirds",
     .kind = Kind::boolean,
     .help = "limit the default lease to a third of the job's timeout"},
    {.name = "rules.delay-on-timeout",
     .kind = Kind::choice,
     .help = "when a timed out attempt is retried: at once or after the back-off",
     .words = {"none", "backoff"}},
    {.name = "rules.on-lease-lost",
     .kind = Kind::choice,
     .help = "what happens to a job whose lease expires",
     .words = {"requeue", "countFailure", "waitTimeout"}},
    {.name = "rules.max-crashes",
     .kind = Kind::natural,
     .help = "expired leases that a job survives; one more makes it dead; -1: unlimited",
     .least = -1,
     .most = 1'000'000},
    {.name = "rules.recover-on-start",
     .kind = Kind::choice,
     .help = "jobs that a node recovers when it starts",
     .words = {"ownWorkers", "everyRunning", "no"}},
    {.name = "rules.checkpoint-survives",
     .kind = Kind::boolean,
     .help = "pass the checkpoint of an attempt to the next one"},
    {.name = "rules.cancel-path",
     .kind = Kind::choice,
     .help = "how a withdrawn job ends: directly, or through a claim by `system`",
     .words = {"direct", "systemClaim"}},
    {.name = "rules.terminal",
     .kind = Kind::choice,
     .help = "whether ended jobs can be reopened",
     .words = {"fixed", "reopen"}},
    {.name = "rules.accept",
     .kind = Kind::choice,
     .help = "whether a job is accepted in the commit that records it or in a second one",
     .words = {"onePhase", "twoPhase"}},
    {.name = "rules.other-moves",
     .kind = Kind::choice,
     .help = "allow hand-off, replacing an accepted job, resolving a running job, and "
             "forced cancel",
     .words = {"allowed", "refused"}},
    {.name = "rules.count-no-handler",
     .kind = Kind::boolean,
     .help = "count NO_HANDLER as a failure"},
    {.name = "rules.max-jobs",
     .kind = Kind::natural,
     .help = "maximum number of jobs per lease request",
     .least = 1,
     .most = 1000},
    {.name = "rules.sweep-seconds",
     .kind = Kind::duration,
     .help = "interval of the search for expired leases"},
    {.name = "rules.stuck-after-seconds",
     .kind = Kind::duration,
     .help = "age at which the sweep handles a queued job"},
    {.name = "rules.accept-after-seconds",
     .kind = Kind::duration,
     .help = "age at which the sweep accepts a recorded job"},
    {.name = "rules.keep-success", .kind = Kind::duration, .help = "retention of successful jobs"},
    {.name = "rules.keep-canceled", .kind = Kind::duration, .help = "retention of canceled jobs"},
    {.name = "rules.keep-dead", .kind = Kind::duration, .help = "retention of dead letters"},
    {.name = "rules.keep-keys",
     .kind = Kind::duration,
     .help = "retention of an idempotency key after its job ends"},
};

Error invalid(const std::string& what) { return {Errc::invalid, what}; }

// "rules.timeout-seconds" becomes timeoutSeconds.
std::string rule_name(std::string_view option) {
  std::string name;
  bool upper = false;
  for (const char letter : option.substr(option.find('.') + 1)) {
    if (letter != '-') name += upper ? static_cast<char>(letter - 'a' + 'A') : letter;
    upper = letter == '-';
  }
  return name;
}

// REQUIRES: the value is valid for its option.
std::string rule_value(const Option& option, const std::string& value) {
  if (option.kind == Kind::boolean) return value == "true" || value == "1" ? "true" : "false";
  if (option.kind != Kind::duration || value == "never") return value;
  const std::int64_t millis = parse_duration(value).value_or(Duration()).count();
  return std::to_string(millis / 1000) + "." + std::to_string(1000 + millis % 1000).substr(1);
}

std::string option_of(const std::string& rule) {
  const auto found = std::ranges::find_if(
      table, [&](const Option& option) { return rule_name(option.name) == rule; });
  return std::string(found->name.substr(found->name.find('.') + 1));
}

}  // namespace

const std::vector<Option>& rule_options() { return table; }

Result<Rules> rules_of(const Settings& settings) {
  std::optional<Rules> rules = profile(settings.text("profile"));
  if (!rules) return invalid("unknown profile \"" + settings.text("profile") + "\"");
  for (const auto& [name, value] : configured_rules(settings)) {
    const NamedRule* rule = find_rule(name);
    LONGSHORE_ASSERT(rule != nullptr && rule->set != nullptr);
    if (const auto fault = rule->set(*rules, value)) {
      return invalid("rules." + option_of(name) + " " + *fault);
    }
  }
  return *rules;
}

std::map<std::string, std::string> configured_rules(const Settings& settings) {
  std::map<std::string, std::string> said;
  for (const Option& option : table) {
    const std::string value = settings.text(option.name);
    if (!value.empty()) said[rule_name(option.name)] = rule_value(option, value);
  }
  return said;
}

}  // namespace longshore
