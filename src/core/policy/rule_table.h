// The rules by name, as people write and read them: in [rules] of a configuration file, in POST
// /apply, in audit entries and in sentences about what differs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/rules.h"

namespace longshore {

struct NamedRule {
  std::string_view name;  // "timeoutSeconds"
  bool fixed = false;     // belongs to the profile, and never changes in a store
  // "1800", "never", "exponential", "true"
  std::string (*text)(const Rules& rules) = nullptr;
  // What is wrong with the value, as the end of a sentence that begins with the name. Null of the
  // profile's name, from which the other values follow.
  std::optional<std::string> (*set)(Rules& rules, std::string_view value) = nullptr;
};

std::span<const NamedRule> rule_table();
const NamedRule* find_rule(std::string_view name);

struct RuleDifference {
  std::string name;
  bool fixed = false;
  std::string from;
  std::string to;
  friend bool operator==(const RuleDifference&, const RuleDifference&) = default;
};

// In the order of the table. Of two profiles only the profile is named: the rest follows from it.
std::vector<RuleDifference> differences(const Rules& from, const Rules& to);
// "timeoutSeconds is 1800 in the store and 60 here"
std::string in_words(const RuleDifference& difference);

// Every rule that a store may change, with its value.
std::map<std::string, std::string> changeable_rules(const Rules& rules);

// What keeps these values from being set, by the name of the rule; nothing if all of them were.
struct RuleFault {
  std::string name;
  std::string detail;  // a sentence that begins with the name
  bool unknown = false;
};
std::optional<RuleFault> change_rules(Rules& rules,
                                      const std::map<std::string, std::string>& values);

}  // namespace longshore
