// Reads the members of tables in longshore.toml. The first error is thrown as an exception and
// caught by parse_settings_file.
#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/time.h"
#include "server/settings/near_miss.h"
#include "server/settings/option.h"

namespace longshore {

struct TomlFault {
  std::string what;
  int line = 0;
};

int line_of(const toml::node& node);
[[noreturn]] void refuse(const toml::node& node, std::string what);

// Each throws if the value has another type or is out of range. A number is also accepted as text.
std::string text_of(const toml::node& node, std::string_view name);
std::vector<std::string> texts_of(const toml::node& node, std::string_view name);
bool truth_of(const toml::node& node, std::string_view name);
double number_of(const toml::node& node, std::string_view name, double least, double most);
std::int64_t whole_of(const toml::node& node, std::string_view name, std::int64_t least,
                      std::int64_t most);
Duration seconds_of(const toml::node& node, std::string_view name);
Duration duration_of(const toml::node& node, std::string_view name);

// A member of a table and its reader.
template <class Target>
struct TomlField {
  std::string_view name;
  void (*read)(const toml::node& node, std::string_view name, Target& target);
};

// Reads each member of a table; an unknown member is an error that suggests the nearest name.
template <class Target, std::size_t count>
void read_table(const toml::node& node, std::string_view where,
                const std::array<TomlField<Target>, count>& fields, Target& target) {
  const toml::table* table = node.as_table();
  if (table == nullptr) refuse(node, std::string(where) + " must be a table");
  for (const auto& [key, value] : *table) {
    const TomlField<Target>* found = nullptr;
    std::array<std::string_view, count> known;
    for (std::size_t i = 0; i < count; ++i) {
      known[i] = fields[i].name;
      if (plain_name(fields[i].name) == plain_name(key.str())) found = &fields[i];
    }
    if (found == nullptr) {
      refuse(value, "unknown key \"" + std::string(key.str()) + "\" in " + std::string(where) +
                        did_you_mean(key.str(), known));
    }
    found->read(value, found->name, target);
  }
}

}  // namespace longshore
