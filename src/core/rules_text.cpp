#include "core/rules_text.h"

#include <array>
#include <charconv>
#include <string_view>

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

// Cuts the next word off `text`.
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
  line(text, "profile", rules.profile);
  line(text, "policy", policy_text(rules.policy));
  line(text, "lease", number(rules.lease.count()));
  line(text, "leaseIsTimeout", std::to_string(rules.lease_is_timeout));
  line(text, "delayOnTimeout", number_of(rules.delay_on_timeout));
  line(text, "onLeaseLost", number_of(rules.on_lease_lost));
  line(text, "maxCrashes", rules.max_crashes ? std::to_string(*rules.max_crashes) : "unlimited");
  line(text, "recoverOnStart", number_of(rules.recover_on_start));
  line(text, "checkpointSurvives", std::to_string(rules.checkpoint_survives));
  line(text, "cancelPath", number_of(rules.cancel_path));
  line(text, "terminal", number_of(rules.terminal));
  line(text, "accept", number_of(rules.accept));
  line(text, "countNoHandler", std::to_string(rules.count_no_handler));
  line(text, "keepSuccess", number(rules.retention.success.count()));
  line(text, "keepCanceled", number(rules.retention.canceled.count()));
  line(text, "keepDead", number(rules.retention.dead.count()));
  line(text, "claimLimit", std::to_string(rules.claim_limit));
  line(text, "sweepEvery", number(rules.sweep_every.count()));
  line(text, "stuckAfter", number(rules.stuck_after.count()));
  line(text, "acceptAfter", number(rules.accept_after.count()));
  line(text, "keyOutlivesJob", number(rules.key_outlives_job.count()));
  return text;
}

std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  std::size_t begin = 0;
  while (begin < a.size() && begin < b.size()) {
    const std::string line_a = a.substr(begin, a.find('\n', begin) - begin);
    const std::string line_b = b.substr(begin, b.find('\n', begin) - begin);
    if (line_a != line_b) return {line_a, line_b};
    begin += line_a.size() + 1;
  }
  return {"other rules", "these"};
}

}  // namespace longshore
