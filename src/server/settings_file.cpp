#include <toml++/toml.h>

#include <array>
#include <charconv>

#include "core/names.h"
#include "server/duration_text.h"
#include "server/near_miss.h"
#include "server/settings.h"

namespace longshore {
namespace {

// What was wrong first ends the reading; it travels as an exception no further than this file.
struct Fault {
  std::string what;
  int line = 0;
};

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

[[noreturn]] void refuse(const toml::node& node, std::string what) {
  throw Fault{std::move(what), line_of(node)};
}

std::string text_of(const toml::node& node, std::string_view name) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) {
    std::array<char, 64> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number->get(),
                                   std::chars_format::fixed);
    return {text.data(), end.ptr};
  }
  refuse(node, std::string(name) + " must be a text, a number, true or false");
}

std::vector<std::string> values_of(const Option& option, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (option.kind != Option::Kind::list || array == nullptr) return {text_of(node, option.name)};
  std::vector<std::string> values;
  for (const toml::node& element : *array) values.push_back(text_of(element, option.name));
  return values;
}

// ---- Policies ---------------------------------------------------------------------------------

double number_of(const toml::node& node, std::string_view name, double least, double most) {
  const auto number = node.value<double>();
  if (!node.is_number() || !number || *number < least || *number > most) {
    refuse(node, std::string(name) + " must be a number from " + text_of(toml::value(least), name) +
                     " to " + text_of(toml::value(most), name));
  }
  return *number;
}

int whole_of(const toml::node& node, std::string_view name, int least, int most) {
  if (!node.is_integer()) refuse(node, std::string(name) + " must be a whole number");
  return static_cast<int>(number_of(node, name, least, most));
}

Duration seconds_of(const toml::node& node, std::string_view name) {
  constexpr double ten_thousand_years = 315'576'000'000.0;
  const double seconds = number_of(node, name, 0, ten_thousand_years);
  return Duration::millis(static_cast<std::int64_t>(seconds * 1000.0 + 0.5));
}

Duration duration_of(const toml::node& node, std::string_view name) {
  const auto duration = parse_duration(text_of(node, name));
  if (!duration) refuse(node, std::string(name) + " must be a duration, such as 12h, 7d or never");
  return *duration;
}

Backoff::Kind kind_of(const toml::node& node) {
  const std::string kind = text_of(node, "kind");
  if (kind == "exponential") return Backoff::Kind::exponential;
  if (kind == "fixed") return Backoff::Kind::fixed;
  if (kind == "none") return Backoff::Kind::none;
  refuse(node, "kind must be one of exponential, fixed, none, but is \"" + kind + "\"");
}

template <class Target>
struct Field {
  std::string_view name;
  void (*read)(const toml::node& node, std::string_view name, Target& target);
};

// Each member of a table by its field; an unknown one is refused with the nearest that is known.
template <class Target, std::size_t count>
void read_table(const toml::node& node, std::string_view where,
                const std::array<Field<Target>, count>& fields, Target& target) {
  const toml::table* table = node.as_table();
  if (table == nullptr) refuse(node, std::string(where) + " must be a table");
  for (const auto& [key, value] : *table) {
    const Field<Target>* found = nullptr;
    std::array<std::string_view, count> known;
    for (std::size_t i = 0; i < count; ++i) {
      known[i] = fields[i].name;
      if (plain_name(fields[i].name) == plain_name(key.str())) found = &fields[i];
    }
    if (found == nullptr) {
      refuse(value, "there is no \"" + std::string(key.str()) + "\" in " + std::string(where) +
                        did_you_mean(key.str(), known));
    }
    found->read(value, found->name, target);
  }
}

using Node = const toml::node&;
using Name = std::string_view;

constexpr std::array<Field<BackoffLayer>, 4> backoff_fields = {{
    {"kind", [](Node node, Name, BackoffLayer& to) { to.kind = kind_of(node); }},
    {"baseSeconds", [](Node node, Name n, BackoffLayer& to) { to.base = seconds_of(node, n); }},
    {"maxSeconds", [](Node node, Name n, BackoffLayer& to) { to.max = seconds_of(node, n); }},
    {"jitter", [](Node node, Name n, BackoffLayer& to) { to.jitter = number_of(node, n, 0, 1); }},
}};

constexpr std::array<Field<NamedPolicy>, 3> retention_fields = {{
    {"success", [](Node node, Name n, NamedPolicy& to) { to.keep_success = duration_of(node, n); }},
    {"canceled",
     [](Node node, Name n, NamedPolicy& to) { to.keep_canceled = duration_of(node, n); }},
    {"dead", [](Node node, Name n, NamedPolicy& to) { to.keep_dead = duration_of(node, n); }},
}};

constexpr std::array<Field<NamedPolicy>, 5> policy_fields = {{
    {"maxRetries",
     [](Node node, Name n, NamedPolicy& to) { to.layer.max_retries = whole_of(node, n, 0, 100); }},
    {"timeoutSeconds",
     [](Node node, Name n, NamedPolicy& to) {
       to.layer.timeout = seconds_of(node, n);
       if (*to.layer.timeout <= Duration()) refuse(node, "timeoutSeconds must be above 0");
     }},
    {"backoff", [](Node node, Name n,
                   NamedPolicy& to) { read_table(node, n, backoff_fields, to.layer.backoff); }},
    {"maxRunning",
     [](Node node, Name n, NamedPolicy& to) { to.max_running = whole_of(node, n, 1, 1'000'000); }},
    {"retention",
     [](Node node, Name n, NamedPolicy& to) { read_table(node, n, retention_fields, to); }},
}};

using NameFault = std::optional<std::string> (*)(std::string_view name);

void read_policies(const toml::node& node, const std::string& section, NameFault name_fault,
                   std::map<std::string, NamedPolicy>& policies) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    refuse(node, section + " holds tables, such as [" + section + ".NAME]");
  }
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    const std::string where = section + "." + name;
    if (auto fault = name_fault(name)) refuse(value, where + ": " + *fault);
    read_table(value, where, policy_fields, policies[name]);
  }
}

// ---- Options ----------------------------------------------------------------------------------

[[noreturn]] void refuse_unknown(const toml::node& node, const std::string& name) {
  std::vector<std::string_view> known = {"queues", "types"};
  for (const Option& option : all_options()) known.push_back(option.name);
  refuse(node, "there is no option \"" + name + "\"" + did_you_mean(name, known));
}

void read_option(const toml::node& node, const std::string& name, FileSettings& settings) {
  const Option* option = find_option(name);
  if (option == nullptr) refuse_unknown(node, name);
  const auto [entry, fresh] = settings.entries.try_emplace(
      option, FileSettings::Entry{values_of(*option, node), line_of(node)});
  if (!fresh) {
    refuse(node, std::string(option->name) + " is set twice, first in line " +
                     std::to_string(entry->second.line));
  }
  for (const std::string& value : entry->second.values) {
    if (auto fault = value_fault(*option, value)) refuse(node, name + " " + *fault);
  }
}

void read_section(const toml::table& table, const std::string& before, FileSettings& settings) {
  for (const auto& [key, value] : table) {
    const std::string name = before + std::string(key.str());
    if (name == "queues") {
      read_policies(value, name, queue_fault, settings.queues);
    } else if (name == "types") {
      read_policies(value, name, job_type_fault, settings.types);
    } else if (const toml::table* inner = value.as_table()) {
      read_section(*inner, name + ".", settings);
    } else {
      read_option(value, name, settings);
    }
  }
}

}  // namespace

Result<FileSettings> parse_settings_file(std::string_view text, std::string name) {
  FileSettings settings;
  settings.name = std::move(name);
  const auto fault_at = [&](int line, std::string_view what) {
    return Error{Errc::invalid,
                 settings.name + ":" + std::to_string(line) + ": " + std::string(what)};
  };
  try {
    const toml::table table = toml::parse(text);
    read_section(table, "", settings);
  } catch (const toml::parse_error& error) {
    return fault_at(static_cast<int>(error.source().begin.line), error.description());
  } catch (const Fault& fault) {
    return fault_at(fault.line, fault.what);
  }
  return settings;
}

}  // namespace longshore
