#include "core/policy/rules_record.h"

#include <charconv>
#include <utility>
#include <vector>

#include "core/policy/rule_table.h"
#include "core/policy/rules_text.h"

namespace longshore {
namespace {

constexpr std::string_view usual_line = "usualPolicy ";
constexpr std::string_view crashes_line = "crashesEver ";
constexpr std::string_view revision_line = "revision ";
constexpr std::string_view no_limit = "unlimited";

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || rest != end) return std::nullopt;
  return value;
}

// False for an invalid line.
bool read_crashes_ever(std::string_view value, RulesRecord& record) {
  record.crashes_ever = parse_number<int>(value);
  return record.crashes_ever || value == no_limit;
}

bool read_revision(std::string_view value, RulesRecord& record) {
  const std::size_t space = value.find(' ');
  if (space == std::string_view::npos) return false;
  const auto revision = parse_number<std::int64_t>(value.substr(space + 1));
  if (!revision) return false;
  record.revisions[std::string(value.substr(0, space))] = *revision;
  return true;
}

bool read_record_line(std::string_view line, RulesRecord& record) {
  if (line.starts_with(crashes_line)) {
    return read_crashes_ever(line.substr(crashes_line.size()), record);
  }
  if (line.starts_with(revision_line)) {
    return read_revision(line.substr(revision_line.size()), record);
  }
  if (!line.starts_with(usual_line)) return false;
  const auto policy = parse_policy(line.substr(usual_line.size()));
  if (policy) record.usual = *policy;
  return policy.has_value();
}

std::string difference_texts(const std::vector<RuleDifference>& all) {
  std::string text;
  for (const RuleDifference& each : all) text += (text.empty() ? "" : ", ") + difference_text(each);
  return text;
}

Refusal old_revision(const SetRules& set, std::int64_t stored) {
  return {.code = Code::old_revision,
          .detail = "source " + set.source + " has applied revision " + std::to_string(stored) +
                    ", got revision " + std::to_string(*set.revision) +
                    "; increase the revision to apply it"};
}

}  // namespace

Rules RulesRecord::for_audit() const {
  Rules loosest = rules;
  loosest.max_crashes = crashes_ever;
  return loosest;
}

RulesRecord first_record(const Rules& rules) {
  return {{.rules = rules}, rules.policy, rules.max_crashes};
}

std::string record_text(const RulesRecord& record) {
  std::string text = rules_text(record.rules);
  text += std::string(usual_line) + policy_text(record.usual) + "\n";
  text += std::string(crashes_line) +
          (record.crashes_ever ? std::to_string(*record.crashes_ever) : std::string(no_limit)) +
          "\n";
  for (const auto& [source, revision] : record.revisions) {
    text += std::string(revision_line) + source + " " + std::to_string(revision) + "\n";
  }
  return text;
}

std::optional<RulesRecord> parse_record(std::string_view text) {
  std::string others;
  const auto rules = parse_rules_text(text, others);
  if (!rules) return std::nullopt;
  RulesRecord record = first_record(*rules);
  std::string_view rest = others;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (!read_record_line(rest.substr(0, end), record)) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
  return record;
}

Result<RulesRecord> agree_on_rules(std::string_view text, const Rules& asked,
                                   const std::string& store, const std::string& otherwise) {
  auto record = parse_record(text);
  if (!record) {
    return Error{.code = Errc::refused,
                 .message = store +
                            " has rules that this version of Longshore does not know; use a newer "
                            "version"};
  }
  std::vector<RuleDifference> fixed = differences(record->rules, asked);
  std::erase_if(fixed, [](const RuleDifference& each) { return !each.fixed; });
  if (fixed.empty()) return std::move(*record);
  return Error{.code = Errc::refused,
               .message = store + " was created with other rules, which cannot be changed: " +
                          difference_texts(fixed) + "; open it with profile " +
                          record->rules.profile + " and the rules it was created with, or " +
                          otherwise};
}

std::variant<Refusal, RulesRecord> decide_rules(const RulesRecord& stored, const SetRules& set) {
  if (set.revision) {
    const std::int64_t known = stored.revision(set.source);
    const bool old = set.only_if_newer ? *set.revision <= known : *set.revision < known;
    if (old) return old_revision(set, known);
  }
  RulesRecord next = stored;
  if (const auto fault = change_rules(next.rules, set.rules)) {
    return Refusal{.code = fault->unknown ? Code::unknown_field : Code::invalid_field,
                   .detail = fault->detail};
  }
  if (set.revision) next.revisions[set.source] = *set.revision;
  const auto& most = next.rules.max_crashes;
  if (next.crashes_ever && (!most || *most > *next.crashes_ever)) next.crashes_ever = most;
  return next;
}

std::string audit_target(const RulesRecord& from, const RulesRecord& to, const SetRules& set) {
  std::string target = set.source + " " + std::to_string(to.revision(set.source));
  std::string_view separator = ": ";
  for (const RuleDifference& each : differences(from.rules, to.rules)) {
    target += std::string(std::exchange(separator, ", ")) + each.name + " " + each.from + " to " +
              each.to;
  }
  return target;
}

}  // namespace longshore
