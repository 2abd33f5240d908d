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
    {.name = "rules.timeout-seconds",
     .kind = Kind::duration,
     .help = "how long one attempt may take"},
    {.name = "rules.max-retries",
     .kind = Kind::natural,
     .help = "retries after counted failures",
     .most = 100},
    {.name = "rules.backoff",
     .kind = Kind::choice,
     .help = "how the wait grows from failure to failure",
     .words = {"exponential", "fixed", "none"}},
    {.name = "rules.backoff-base-seconds",
     .kind = Kind::duration,
     .help = "the wait after the first failure"},
    {.name = "rules.backoff-max-seconds",
     .kind = Kind::duration,
     .help = "the longest wait, before jitter; never: it grows without end"},
    {.name = "rules.backoff-jitter",
     .kind = Kind::fraction,
     .help = "the part by which a wait may be longer or shorter, 0 to 1"},
    {.name = "rules.lease-seconds",
     .kind = Kind::duration,
     .help = "how long a lease lasts that names no time; never: as long as the job's timeout"},
    {.name = "rules.lease-in-thirds",
     .kind = Kind::boolean,
     .help = "whether such a lease is at most a third of the job's timeout"},
    {.name = "rules.delay-on-timeout",
     .kind = Kind::choice,
     .help = "whether a timeout is retried at once or after the back-off",
     .words = {"none", "backoff"}},
    {.name = "rules.on-lease-lost",
     .kind = Kind::choice,
     .help = "what becomes of a job whose worker was not heard of",
     .words = {"requeue", "countFailure", "waitTimeout"}},
    {.name = "rules.max-crashes",
     .kind = Kind::natural,
     .help = "lost leases after which one more kills a job; -1: any number",
     .least = -1,
     .most = 1'000'000},
    {.name = "rules.recover-on-start",
     .kind = Kind::choice,
     .help = "what a starting node takes back at once",
     .words = {"ownWorkers", "everyRunning", "no"}},
    {.name = "rules.checkpoint-survives",
     .kind = Kind::boolean,
     .help = "whether the next attempt is given the checkpoint of the last"},
    {.name = "rules.cancel-path",
     .kind = Kind::choice,
     .help = "how a job that must not run leaves: straight, or through a claim by `system`",
     .words = {"direct", "systemClaim"}},
    {.name = "rules.terminal",
     .kind = Kind::choice,
     .help = "whether ended jobs stay as they are or may be taken up again in place",
     .words = {"fixed", "reopen"}},
    {.name = "rules.accept",
     .kind = Kind::choice,
     .help = "whether a job is accepted in the commit that records it, or by a second one",
     .words = {"onePhase", "twoPhase"}},
    {.name = "rules.other-moves",
     .kind = Kind::choice,
     .help = "hand-off, replacing an accepted job, finishing a running job from outside, and "
             "forced cancel",
     .words = {"allowed", "refused"}},
    {.name = "rules.count-no-handler",
     .kind = Kind::boolean,
     .help = "whether NO_HANDLER is a counted failure"},
    {.name = "rules.max-jobs",
     .kind = Kind::natural,
     .help = "most jobs that one call for leases may ask for",
     .least = 1,
     .most = 1000},
    {.name = "rules.sweep-seconds",
     .kind = Kind::duration,
     .help = "how often the jobs of lost workers are reclaimed"},
    {.name = "rules.stuck-after-seconds",
     .kind = Kind::duration,
     .help = "how long a queued job waits before the sweep looks after it"},
    {.name = "rules.accept-after-seconds",
     .kind = Kind::duration,
     .help = "how old a recorded job is before the sweep accepts it"},
    {.name = "rules.keep-success",
     .kind = Kind::duration,
     .help = "how long jobs that succeeded are kept"},
    {.name = "rules.keep-canceled",
     .kind = Kind::duration,
     .help = "how long canceled jobs are kept"},
    {.name = "rules.keep-dead", .kind = Kind::duration, .help = "how long dead letters are kept"},
    {.name = "rules.keep-keys",
     .kind = Kind::duration,
     .help = "how long an idempotency key outlives its job"},
};

Error invalid(const std::string& what) { return {Errc::invalid, what}; }

// "rules.timeout-seconds" is timeoutSeconds.
std::string rule_name(std::string_view option) {
  std::string name;
  bool upper = false;
  for (const char letter : option.substr(option.find('.') + 1)) {
    if (letter != '-') name += upper ? static_cast<char>(letter - 'a' + 'A') : letter;
    upper = letter == '-';
  }
  return name;
}

// The value has been checked against its option.
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
  if (!rules) return invalid("there is no profile \"" + settings.text("profile") + "\"");
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
