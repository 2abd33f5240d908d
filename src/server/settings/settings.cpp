#include "server/settings/settings.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "core/assert.h"
#include "server/settings/duration_text.h"
#include "server/settings/near_miss.h"

namespace longshore {
namespace {

constexpr std::string_view default_file = "longshore.toml";
constexpr std::string_view prefix = "LONGSHORE_";
constexpr std::string_view unsaid = "default";
// Shorter names are similar by chance.
constexpr std::size_t slip_letters_min = 5;

Error invalid(std::string message) { return {Errc::invalid, std::move(message)}; }

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> values_of(const Option& option, std::string_view text) {
  if (option.kind == Option::Kind::list) return split(text);
  return {std::string(text)};
}

using Environment = std::map<const Option*, std::string>;

Result<Environment> read_environment(const std::vector<std::string>& variables) {
  std::vector<std::string> names;
  for (const Option& option : all_options()) {
    names.push_back(variable_of(option).substr(prefix.size()));
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  Environment found;
  for (const std::string& variable : variables) {
    if (!variable.starts_with(prefix)) continue;
    const std::size_t equals = std::min(variable.find('='), variable.size());
    const std::string name = variable.substr(prefix.size(), equals - prefix.size());
    const auto option = std::ranges::find(names, name);
    if (option != names.end()) {
      found[&all_options()[static_cast<std::size_t>(option - names.begin())]] =
          variable.substr(std::min(equals + 1, variable.size()));
      continue;
    }
    const auto meant = name.size() < slip_letters_min ? std::nullopt : nearest(name, known, 2);
    if (meant) {
      return invalid("the variable LONGSHORE_" + name +
                     " is not an option; did you mean LONGSHORE_" + std::string(*meant) + "?");
    }
  }
  return found;
}

std::optional<Error> check(const Setting& setting) {
  if (setting.source == unsaid) return std::nullopt;
  for (const std::string& value : setting.values) {
    const auto fault = value_fault(*setting.option, value);
    if (!fault) continue;
    const std::string got = setting.option->secret ? "" : ", got \"" + value + "\"";
    return invalid(setting.source + " " + *fault + got +
                   did_you_mean(value, setting.option->words));
  }
  return std::nullopt;
}

Setting resolve(const Option& option, const Settings::Sources& sources,
                const Environment& environment) {
  if (const auto flag = sources.flags.find(&option); flag != sources.flags.end()) {
    return {&option, flag->second, flag_of(option)};
  }
  if (const auto variable = environment.find(&option); variable != environment.end()) {
    return {&option, values_of(option, variable->second), variable_of(option)};
  }
  const auto entry = sources.file.entries.find(&option);
  if (entry != sources.file.entries.end()) {
    return {&option, entry->second.values,
            sources.file.name + ":" + std::to_string(entry->second.line)};
  }
  return {&option, values_of(option, option.fallback), std::string(unsaid)};
}

}  // namespace

Result<Settings> Settings::from(Sources sources) {
  Result<Environment> environment = read_environment(sources.environment);
  if (!environment) return environment.error();
  Settings settings;
  for (const Option& option : all_options()) {
    settings.all_.push_back(resolve(option, sources, *environment));
    if (auto fault = check(settings.all_.back())) return *fault;
  }
  settings.queues_ = std::move(sources.file.queues);
  settings.types_ = std::move(sources.file.types);
  settings.handlers_ = std::move(sources.file.handlers);
  settings.secrets_ = std::move(sources.file.secrets);
  settings.endpoints_ = std::move(sources.file.endpoints);
  return settings;
}

const Setting& Settings::setting(std::string_view option) const {
  const auto found =
      std::ranges::find(all_, option, [](const Setting& s) { return s.option->name; });
  LONGSHORE_ASSERT(found != all_.end(), "the option is in the table");
  return *found;
}

std::string Settings::text(std::string_view option) const {
  const Setting& found = setting(option);
  return found.values.empty() ? "" : found.values.back();
}

const std::vector<std::string>& Settings::list(std::string_view option) const {
  return setting(option).values;
}

bool Settings::boolean(std::string_view option) const {
  const std::string value = text(option);
  return value == "true" || value == "1";
}

std::int64_t Settings::natural(std::string_view option) const {
  const std::string value = text(option);
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

double Settings::fraction(std::string_view option) const {
  const std::string value = text(option);
  double number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

Duration Settings::duration(std::string_view option) const {
  return parse_duration(text(option)).value_or(Duration());
}

Result<FileSettings> read_settings_file(const std::string& path) {
  const std::string name = path.empty() ? std::string(default_file) : path;
  std::ifstream file(name);
  if (!file) {
    if (path.empty()) return FileSettings();
    return invalid("cannot read the configuration file " + path + "; correct --config");
  }
  std::ostringstream text;
  text << file.rdbuf();
  return parse_settings_file(text.str(), name);
}

std::string shown_value(const Setting& setting) {
  std::string shown;
  for (const std::string& value : setting.values) {
    if (!shown.empty()) shown += ",";
    shown += setting.option->name == "store" ? without_password(value) : value;
  }
  return setting.option->secret && !shown.empty() ? "(hidden)" : shown;
}

}  // namespace longshore
