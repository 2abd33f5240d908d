#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "cli/command.h"
#include "longshore/json.h"
#include "server/settings/duration_text.h"

namespace longshore {
namespace {

void print_table(const Settings& settings) {
  std::size_t names = 0;
  std::size_t values = 0;
  for (const Setting& setting : settings.all()) {
    names = std::max(names, setting.option->name.size());
    values = std::max(values, std::min<std::size_t>(shown_value(setting).size(), 40));
  }
  for (const Setting& setting : settings.all()) {
    std::cout << fmt::format("{:<{}}  {:<{}}  {}\n", setting.option->name, names,
                             shown_value(setting), values, setting.source);
  }
  const auto print_policies = [](std::string_view section, const auto& policies) {
    for (const auto& [name, policy] : policies) {
      std::cout << fmt::format("{}.{}", section, name);
      if (policy.layer.max_retries) std::cout << "  maxRetries " << *policy.layer.max_retries;
      if (policy.layer.timeout) std::cout << "  timeout " << duration_text(*policy.layer.timeout);
      if (policy.max_running) std::cout << "  maxRunning " << *policy.max_running;
      std::cout << "\n";
    }
  };
  print_policies("queues", settings.queues());
  print_policies("types", settings.types());
  for (const auto& [name, secret] : settings.secrets()) {
    std::cout << fmt::format("secrets.{}  file {}  namespace {}  urls {}\n", name, secret.file,
                             secret.ns, fmt::join(secret.urls, ","));
  }
}

void print_json(const Settings& settings) {
  JsonWriter json;
  json.begin_object();
  for (const Setting& setting : settings.all()) {
    json.name(setting.option->name);
    json.begin_object();
    json.name("value");
    json.string(shown_value(setting));
    json.name("source");
    json.string(setting.source);
    json.end_object();
  }
  for (const auto& [name, secret] : settings.secrets()) {
    json.name("secrets." + name);
    json.begin_object();
    json.name("file");
    json.string(secret.file);
    json.name("namespace");
    json.string(secret.ns);
    json.name("urls");
    json.begin_array();
    for (const std::string& url : secret.urls) {
      json.element();
      json.string(url);
    }
    json.end_array();
    json.end_object();
  }
  json.end_object();
  std::cout << json.take() << "\n";
}

}  // namespace

ExitCode run_config(const Invocation& invocation) {
  if (invocation.settings.boolean("json")) {
    print_json(invocation.settings);
  } else {
    print_table(invocation.settings);
  }
  return ExitCode::done;
}

}  // namespace longshore
