// The rules by name, as text: in [rules] of a configuration file, in POST /apply, in audit entries
// and in messages about differences.
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
  bool fixed = false;     // set by the profile, and never changes in a store
  // "1800", "never", "exponential", "true"
  std::string (*text)(const Rules& rules) = nullptr;
  // Returns what is wrong with the value, to follow the name in a message. Null for the profile's
  // name, which determines the other values.
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

// In the order of the table. If the profiles differ, only the profile is listed.
std::vector<RuleDifference> differences(const Rules& from, const Rules& to);
// "timeoutSeconds is 1800 in the store and 60 here"
std::string difference_text(const RuleDifference& difference);

// Every rule that can change in a store, with its value.
std::map<std::string, std::string> changeable_rules(const Rules& rules);

// Sets the values. Returns the first that could not be set; none if all were.
struct RuleFault {
  std::string name;
  std::string detail;  // a message that begins with the name
  bool unknown = false;
};
std::optional<RuleFault> change_rules(Rules& rules,
                                      const std::map<std::string, std::string>& values);

}  // namespace longshore
