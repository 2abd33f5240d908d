#include <array>

#include "core/text/names.h"
#include "server/settings/settings.h"
#include "server/settings/settings_sections.h"
#include "server/settings/toml_fields.h"

namespace longshore {
namespace {

std::vector<std::string> values_of(const Option& option, const toml::node& node) {
  if (option.kind != Option::Kind::list) return {text_of(node, option.name)};
  return texts_of(node, option.name);
}

// ---- Policies ---------------------------------------------------------------------------------

Backoff::Kind kind_of(const toml::node& node) {
  const std::string kind = text_of(node, "kind");
  if (kind == "exponential") return Backoff::Kind::exponential;
  if (kind == "fixed") return Backoff::Kind::fixed;
  if (kind == "none") return Backoff::Kind::none;
  refuse(node, "kind must be one of exponential, fixed, none, got \"" + kind + "\"");
}

using Node = const toml::node&;
using Name = std::string_view;

constexpr std::array<TomlField<BackoffLayer>, 4> backoff_fields = {{
    {"kind", [](Node node, Name, BackoffLayer& to) { to.kind = kind_of(node); }},
    {"baseSeconds", [](Node node, Name n, BackoffLayer& to) { to.base = seconds_of(node, n); }},
    {"maxSeconds", [](Node node, Name n, BackoffLayer& to) { to.max = seconds_of(node, n); }},
    {"jitter", [](Node node, Name n, BackoffLayer& to) { to.jitter = number_of(node, n, 0, 1); }},
}};

constexpr std::array<TomlField<NamedPolicy>, 3> retention_fields = {{
    {"success", [](Node node, Name n, NamedPolicy& to) { to.keep_success = duration_of(node, n); }},
    {"canceled",
     [](Node node, Name n, NamedPolicy& to) { to.keep_canceled = duration_of(node, n); }},
    {"dead", [](Node node, Name n, NamedPolicy& to) { to.keep_dead = duration_of(node, n); }},
}};

constexpr std::array<TomlField<NamedPolicy>, 5> policy_fields = {{
    {"maxRetries",
     [](Node node, Name n, NamedPolicy& to) {
       to.layer.max_retries = static_cast<int>(whole_of(node, n, 0, 100));
     }},
    {"timeoutSeconds",
     [](Node node, Name n, NamedPolicy& to) {
       to.layer.timeout = seconds_of(node, n);
       if (*to.layer.timeout <= Duration()) refuse(node, "timeoutSeconds must be above 0");
     }},
    {"backoff", [](Node node, Name n,
                   NamedPolicy& to) { read_table(node, n, backoff_fields, to.layer.backoff); }},
    {"maxRunning",
     [](Node node, Name n, NamedPolicy& to) {
       to.max_running = static_cast<int>(whole_of(node, n, 1, 1'000'000));
     }},
    {"retention",
     [](Node node, Name n, NamedPolicy& to) { read_table(node, n, retention_fields, to); }},
}};

using NameFault = std::optional<std::string> (*)(std::string_view name);

void read_policies(const toml::node& node, const std::string& section, NameFault name_fault,
                   std::map<std::string, NamedPolicy>& policies) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    refuse(node, section + " must contain tables, such as [" + section + ".NAME]");
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
  std::vector<std::string_view> known = {"queues", "types", "work.handlers", "endpoints",
                                         "secrets.NAME"};
  for (const Option& option : all_options()) known.push_back(option.name);
  refuse(node, "unknown option \"" + name + "\"" + did_you_mean(name, known));
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
    } else if (name == "work.handlers") {
      read_handlers(value, settings.handlers);
    } else if (name == "secrets" && value.is_table()) {  // otherwise the option of this name
      read_secrets(*value.as_table(), settings.secrets);
    } else if (name == "endpoints") {
      read_endpoints(value, settings.endpoints);
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
  } catch (const TomlFault& fault) {
    return fault_at(fault.line, fault.what);
  }
  return settings;
}

}  // namespace longshore
