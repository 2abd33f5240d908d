#include "core/policy/rule_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/rules/limits.h"
#include "core/text/time_text.h"

namespace longshore {
namespace {

using ValueFault = std::optional<std::string>;
using Text = std::string_view;

// ---- Values as text --------------------------------------------------------------------------

std::string fraction_text(double value) {
  std::array<char, 32> text;
  return {text.begin(), std::to_chars(text.begin(), text.end(), value).ptr};
}

// Seconds, with a fraction if need be.
std::string seconds_text(Duration duration) {
  if (duration == Duration::forever()) return "never";
  std::string text = std::to_string(duration.count() / 1000);
  const std::int64_t rest = duration.count() % 1000;
  if (rest == 0) return text;
  text += "." + std::to_string(1000 + rest).substr(1);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string truth_text(bool value) { return value ? "true" : "false"; }

template <class Number>
std::optional<Number> parse_whole(Text text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<Duration> parse_seconds(Text text) {
  if (text == "never") return Duration::forever();
  const auto seconds = parse_whole<double>(text);
  return seconds ? duration_from_seconds(*seconds) : std::nullopt;
}

// ---- Setting ---------------------------------------------------------------------------------

ValueFault set_seconds(Duration& rule, Text text) {
  const auto value = parse_seconds(text);
  if (!value) return "must be a number of seconds, 0 or more, or never";
  rule = *value;
  return std::nullopt;
}

ValueFault set_integer(int& rule, Text text, int least, int most) {
  const auto value = parse_whole<int>(text);
  if (!value || *value < least || *value > most) {
    return "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  }
  rule = *value;
  return std::nullopt;
}

ValueFault set_truth(bool& rule, Text text) {
  if (text != "true" && text != "false") return "must be true or false";
  rule = text == "true";
  return std::nullopt;
}

// The words of an enumeration, in the order of its values.
template <std::size_t count>
using RuleWords = std::array<Text, count>;

constexpr RuleWords<3> backoff_words = {"exponential", "fixed", "none"};
constexpr RuleWords<2> delay_words = {"none", "backoff"};
constexpr RuleWords<3> lost_words = {"requeue", "countFailure", "waitTimeout"};
constexpr RuleWords<3> recover_words = {"ownWorkers", "everyRunning", "no"};
constexpr RuleWords<2> cancel_words = {"direct", "systemClaim"};
constexpr RuleWords<2> terminal_words = {"fixed", "reopen"};
constexpr RuleWords<2> accept_words = {"onePhase", "twoPhase"};
constexpr RuleWords<2> moves_words = {"allowed", "refused"};

template <std::size_t count, class Enum>
std::string rule_word(const RuleWords<count>& words, Enum value) {
  return std::string(words.at(static_cast<std::size_t>(value)));
}

template <std::size_t count, class Enum>
ValueFault set_word(const RuleWords<count>& words, Enum& rule, Text text) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) {
    rule = static_cast<Enum>(found - words.begin());
    return std::nullopt;
  }
  std::string fault = "must be";
  for (std::size_t i = 0; i < count; ++i) {
    fault += (i == 0 ? " " : i + 1 < count ? ", " : " or ") + std::string(words[i]);
  }
  return fault;
}

ValueFault set_timeout(Rules& rules, Text text) {
  const auto value = parse_seconds(text);
  if (!value || *value <= Duration()) return "must be a number of seconds above 0";
  rules.policy.timeout = *value;
  return std::nullopt;
}

ValueFault set_backoff_max(Rules& rules, Text text) {
  Duration most;
  if (auto fault = set_seconds(most, text)) return fault;
  rules.policy.backoff.max = most;
  if (most == Duration::forever()) rules.policy.backoff.max.reset();
  return std::nullopt;
}

ValueFault set_jitter(Rules& rules, Text text) {
  const auto value = parse_whole<double>(text);
  if (!value || !(*value >= 0 && *value <= 1)) return "must be a number from 0 to 1";
  rules.policy.backoff.jitter = *value;
  return std::nullopt;
}

ValueFault set_lease(Rules& rules, Text text) {
  const auto value = parse_seconds(text);
  const bool is_timeout = value == Duration::forever();
  if (!value || (!is_timeout && (*value < lease_min || *value > lease_max))) {
    return "must be from 1 to 86400, or never";
  }
  rules.lease_is_timeout = is_timeout;
  if (!is_timeout) rules.lease = *value;
  return std::nullopt;
}

ValueFault set_max_crashes(Rules& rules, Text text) {
  const auto value = parse_whole<int>(text);
  const bool unlimited = text == "unlimited" || value == -1;
  if (!unlimited && (!value || *value < 0 || *value > 1'000'000)) {
    return "must be a whole number from 0 to 1000000, or unlimited";
  }
  rules.max_crashes = unlimited ? std::nullopt : value;
  return std::nullopt;
}

ValueFault set_sweep(Rules& rules, Text text) {
  const auto value = parse_seconds(text);
  if (!value || *value < Duration::millis(10) || *value > Duration::hours(1)) {
    return "must be from 0.01 to 3600";
  }
  rules.sweep_every = *value;
  return std::nullopt;
}

// ---- The table -------------------------------------------------------------------------------

using In = const Rules&;
using To = Rules&;

const auto named_rules = std::to_array<NamedRule>({
    {"profile", true, [](In r) { return r.profile; }},
    {"timeoutSeconds", false, [](In r) { return seconds_text(r.policy.timeout); }, set_timeout},
    {"maxRetries", false, [](In r) { return std::to_string(r.policy.max_retries); },
     [](To r, Text v) { return set_integer(r.policy.max_retries, v, 0, retries_max); }},
    {"backoff", false, [](In r) { return rule_word(backoff_words, r.policy.backoff.kind); },
     [](To r, Text v) { return set_word(backoff_words, r.policy.backoff.kind, v); }},
    {"backoffBaseSeconds", false, [](In r) { return seconds_text(r.policy.backoff.base); },
     [](To r, Text v) { return set_seconds(r.policy.backoff.base, v); }},
    {"backoffMaxSeconds", false,
     [](In r) { return seconds_text(r.policy.backoff.max.value_or(Duration::forever())); },
     set_backoff_max},
    {"backoffJitter", false, [](In r) { return fraction_text(r.policy.backoff.jitter); },
     set_jitter},
    {"leaseSeconds", false,
     [](In r) { return seconds_text(r.lease_is_timeout ? Duration::forever() : r.lease); },
     set_lease},
    {"leaseInThirds", false, [](In r) { return truth_text(r.lease_in_thirds); },
     [](To r, Text v) { return set_truth(r.lease_in_thirds, v); }},
    {"delayOnTimeout", false, [](In r) { return rule_word(delay_words, r.delay_on_timeout); },
     [](To r, Text v) { return set_word(delay_words, r.delay_on_timeout, v); }},
    {"onLeaseLost", true, [](In r) { return rule_word(lost_words, r.on_lease_lost); },
     [](To r, Text v) { return set_word(lost_words, r.on_lease_lost, v); }},
    {"maxCrashes", false,
     [](In r) { return r.max_crashes ? std::to_string(*r.max_crashes) : "unlimited"; },
     set_max_crashes},
    {"recoverOnStart", true, [](In r) { return rule_word(recover_words, r.recover_on_start); },
     [](To r, Text v) { return set_word(recover_words, r.recover_on_start, v); }},
    {"checkpointSurvives", true, [](In r) { return truth_text(r.checkpoint_survives); },
     [](To r, Text v) { return set_truth(r.checkpoint_survives, v); }},
    {"cancelPath", true, [](In r) { return rule_word(cancel_words, r.cancel_path); },
     [](To r, Text v) { return set_word(cancel_words, r.cancel_path, v); }},
    {"terminal", true, [](In r) { return rule_word(terminal_words, r.terminal); },
     [](To r, Text v) { return set_word(terminal_words, r.terminal, v); }},
    {"accept", true, [](In r) { return rule_word(accept_words, r.accept); },
     [](To r, Text v) { return set_word(accept_words, r.accept, v); }},
    {"otherMoves", true, [](In r) { return rule_word(moves_words, r.other_moves); },
     [](To r, Text v) { return set_word(moves_words, r.other_moves, v); }},
    {"countNoHandler", false, [](In r) { return truth_text(r.count_no_handler); },
     [](To r, Text v) { return set_truth(r.count_no_handler, v); }},
    {"maxJobs", false, [](In r) { return std::to_string(r.claim_limit); },
     [](To r, Text v) { return set_integer(r.claim_limit, v, 1, jobs_per_claim_max); }},
    {"sweepSeconds", false, [](In r) { return seconds_text(r.sweep_every); }, set_sweep},
    {"stuckAfterSeconds", false, [](In r) { return seconds_text(r.stuck_after); },
     [](To r, Text v) { return set_seconds(r.stuck_after, v); }},
    {"acceptAfterSeconds", false, [](In r) { return seconds_text(r.accept_after); },
     [](To r, Text v) { return set_seconds(r.accept_after, v); }},
    {"keepSuccess", false, [](In r) { return seconds_text(r.retention.success); },
     [](To r, Text v) { return set_seconds(r.retention.success, v); }},
    {"keepCanceled", false, [](In r) { return seconds_text(r.retention.canceled); },
     [](To r, Text v) { return set_seconds(r.retention.canceled, v); }},
    {"keepDead", false, [](In r) { return seconds_text(r.retention.dead); },
     [](To r, Text v) { return set_seconds(r.retention.dead, v); }},
    {"keepKeys", false, [](In r) { return seconds_text(r.key_outlives_job); },
     [](To r, Text v) { return set_seconds(r.key_outlives_job, v); }},
});

}  // namespace

std::span<const NamedRule> rule_table() { return named_rules; }

const NamedRule* find_rule(std::string_view name) {
  const auto found = std::ranges::find(named_rules, name, &NamedRule::name);
  return found == named_rules.end() ? nullptr : &*found;
}

std::vector<RuleDifference> differences(const Rules& from, const Rules& to) {
  std::vector<RuleDifference> all;
  for (const NamedRule& rule : named_rules) {
    RuleDifference one{.name = std::string(rule.name),
                       .fixed = rule.fixed,
                       .from = rule.text(from),
                       .to = rule.text(to)};
    if (one.from != one.to) all.push_back(std::move(one));
    if (from.profile != to.profile) break;
  }
  return all;
}

std::string difference_text(const RuleDifference& difference) {
  return difference.name + " is " + difference.from + " in the store and " + difference.to +
         " here";
}

std::map<std::string, std::string> changeable_rules(const Rules& rules) {
  std::map<std::string, std::string> values;
  for (const NamedRule& rule : named_rules) {
    if (!rule.fixed) values.emplace(rule.name, rule.text(rules));
  }
  return values;
}

std::optional<RuleFault> change_rules(Rules& rules,
                                      const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const NamedRule* rule = find_rule(name);
    if (rule == nullptr) {
      return RuleFault{.name = name, .detail = name + " is not a rule", .unknown = true};
    }
    if (rule->fixed) {
      if (rule->text(rules) == value) continue;
      return RuleFault{.name = name,
                       .detail = name + " is " + rule->text(rules) +
                                 " in this store and cannot be changed; omit it"};
    }
    if (auto fault = rule->set(rules, value)) {
      return RuleFault{.name = name, .detail = name + " " + *fault};
    }
  }
  return std::nullopt;
}

}  // namespace longshore
