#include "core/policy/rules_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/policy/profiles.h"

namespace longshore {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

// The shortest text that reads back as the same number.
std::string number(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.begin(), text.end(), value).ptr;
  return std::string(text.begin(), end);
}

template <class Enum>
std::string number_of(Enum value) {
  return std::to_string(static_cast<int>(value));
}

void line(std::string& text, std::string_view name, const std::string& value) {
  text += name;
  text += ' ';
  text += value;
  text += '\n';
}

// Removes the next word from `text`.
std::string_view next_word(std::string_view& text) {
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

template <class Number>
bool read(std::string_view& text, Number& value) {
  const std::string_view word = next_word(text);
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

bool read_duration(std::string_view text, Duration& value) {
  std::int64_t count = 0;
  if (!read(text, count)) return false;
  value = Duration::millis(count);
  return true;
}

bool read_truth(std::string_view text, bool& value) {
  value = text == "1";
  return value || text == "0";
}

template <class Enum>
bool read_enum(std::string_view text, Enum& value, int most) {
  int number = 0;
  if (!read(text, number) || number < 0 || number > most) return false;
  value = static_cast<Enum>(number);
  return true;
}

bool read_policy(std::string_view text, Policy& value) {
  const auto policy = parse_policy(text);
  if (policy) value = *policy;
  return policy.has_value();
}

bool read_crashes(std::string_view text, std::optional<int>& value) {
  int most = 0;
  value.reset();
  if (text == "unlimited") return true;
  if (!read(text, most)) return false;
  value = most;
  return true;
}

struct RuleLine {
  std::string_view name;
  std::string (*write)(const Rules& rules);
  bool (*read)(Rules& rules, std::string_view value);
};
using In = const Rules&;
using To = Rules&;
using Text = std::string_view;

const auto rule_lines = std::to_array<RuleLine>({
    {"profile", [](In r) { return r.profile; }, [](To r, Text v) { return r.profile == v; }},
    {"policy", [](In r) { return policy_text(r.policy); },
     [](To r, Text v) { return read_policy(v, r.policy); }},
    {"lease", [](In r) { return number(r.lease.count()); },
     [](To r, Text v) { return read_duration(v, r.lease); }},
    {"leaseIsTimeout", [](In r) { return std::to_string(r.lease_is_timeout); },
     [](To r, Text v) { return read_truth(v, r.lease_is_timeout); }},
    {"leaseInThirds", [](In r) { return std::to_string(r.lease_in_thirds); },
     [](To r, Text v) { return read_truth(v, r.lease_in_thirds); }},
    {"delayOnTimeout", [](In r) { return number_of(r.delay_on_timeout); },
     [](To r, Text v) { return read_enum(v, r.delay_on_timeout, 1); }},
    {"onLeaseLost", [](In r) { return number_of(r.on_lease_lost); },
     [](To r, Text v) { return read_enum(v, r.on_lease_lost, 2); }},
    {"maxCrashes",
     [](In r) { return r.max_crashes ? std::to_string(*r.max_crashes) : "unlimited"; },
     [](To r, Text v) { return read_crashes(v, r.max_crashes); }},
    {"recoverOnStart", [](In r) { return number_of(r.recover_on_start); },
     [](To r, Text v) { return read_enum(v, r.recover_on_start, 2); }},
    {"checkpointSurvives", [](In r) { return std::to_string(r.checkpoint_survives); },
     [](To r, Text v) { return read_truth(v, r.checkpoint_survives); }},
    {"cancelPath", [](In r) { return number_of(r.cancel_path); },
     [](To r, Text v) { return read_enum(v, r.cancel_path, 1); }},
    {"terminal", [](In r) { return number_of(r.terminal); },
     [](To r, Text v) { return read_enum(v, r.terminal, 1); }},
    // A function of the PostgreSQL store searches for this exact line.
    {"accept", [](In r) { return number_of(r.accept); },
     [](To r, Text v) { return read_enum(v, r.accept, 1); }},
    {"otherMoves", [](In r) { return number_of(r.other_moves); },
     [](To r, Text v) { return read_enum(v, r.other_moves, 1); }},
    {"countNoHandler", [](In r) { return std::to_string(r.count_no_handler); },
     [](To r, Text v) { return read_truth(v, r.count_no_handler); }},
    {"keepSuccess", [](In r) { return number(r.retention.success.count()); },
     [](To r, Text v) { return read_duration(v, r.retention.success); }},
    {"keepCanceled", [](In r) { return number(r.retention.canceled.count()); },
     [](To r, Text v) { return read_duration(v, r.retention.canceled); }},
    {"keepDead", [](In r) { return number(r.retention.dead.count()); },
     [](To r, Text v) { return read_duration(v, r.retention.dead); }},
    {"claimLimit", [](In r) { return std::to_string(r.claim_limit); },
     [](To r, Text v) { return read(v, r.claim_limit); }},
    {"sweepEvery", [](In r) { return number(r.sweep_every.count()); },
     [](To r, Text v) { return read_duration(v, r.sweep_every); }},
    {"stuckAfter", [](In r) { return number(r.stuck_after.count()); },
     [](To r, Text v) { return read_duration(v, r.stuck_after); }},
    {"acceptAfter", [](In r) { return number(r.accept_after.count()); },
     [](To r, Text v) { return read_duration(v, r.accept_after); }},
    {"keyOutlivesJob", [](In r) { return number(r.key_outlives_job.count()); },
     [](To r, Text v) { return read_duration(v, r.key_outlives_job); }},
});

bool read_rule_line(std::string_view text, Rules& rules, std::string& others) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return false;
  const auto known = std::ranges::find(rule_lines, text.substr(0, space), &RuleLine::name);
  if (known != rule_lines.end()) return known->read(rules, text.substr(space + 1));
  others += std::string(text) + "\n";
  return true;
}

}  // namespace

std::string policy_text(const Policy& policy) {
  const Backoff& backoff = policy.backoff;
  return std::to_string(policy.max_retries) + " " + number(policy.timeout.count()) + " " +
         number_of(backoff.kind) + " " + number(backoff.base.count()) + " " +
         (backoff.max ? number(backoff.max->count()) : "-1") + " " + number(backoff.jitter);
}

std::optional<Policy> parse_policy(std::string_view text) {
  Policy policy;
  std::int64_t timeout = 0;
  int kind = 0;
  std::int64_t base = 0;
  std::int64_t most = 0;
  if (!read(text, policy.max_retries) || !read(text, timeout) || !read(text, kind) ||
      !read(text, base) || !read(text, most) || !read(text, policy.backoff.jitter) ||
      !text.empty() || kind < 0 || kind > 2) {
    return std::nullopt;
  }
  policy.timeout = Duration::millis(timeout);
  policy.backoff.kind = static_cast<Backoff::Kind>(kind);
  policy.backoff.base = Duration::millis(base);
  policy.backoff.max = most < 0 ? std::nullopt : std::optional(Duration::millis(most));
  return policy;
}

std::string rules_text(const Rules& rules) {
  std::string text;
  for (const RuleLine& each : rule_lines) line(text, each.name, each.write(rules));
  return text;
}

std::optional<Rules> parse_rules_text(std::string_view text, std::string& others) {
  constexpr std::string_view first = "profile ";
  if (!text.starts_with(first) || !text.ends_with('\n')) return std::nullopt;
  const std::string_view name = text.substr(first.size(), text.find('\n') - first.size());
  // The profile's values apply to rules that the text omits.
  Rules rules = profile(name).value_or(Rules());
  rules.profile = name;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!read_rule_line(text.substr(0, end), rules, others)) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return rules;
}

}  // namespace longshore
