#include "server/settings/settings_sections.h"

#include <array>

#include "core/net/secret_bindings.h"
#include "core/text/names.h"
#include "server/settings/toml_fields.h"

namespace longshore {
namespace {

using Node = const toml::node&;
using Name = std::string_view;

constexpr std::int64_t many = std::int64_t{1} << 50;

void read_variables(Node node, Name name, HandlerSetting& to) {
  const toml::table* table = node.as_table();
  if (table == nullptr) refuse(node, std::string(name) + " must be a table of variables");
  for (const auto& [key, value] : *table)
    to.env[std::string(key.str())] = text_of(value, key.str());
}

constexpr std::array<TomlField<HandlerSetting>, 14> handler_fields = {{
    {"exec", [](Node node, Name n, HandlerSetting& to) { to.program = text_of(node, n); }},
    {"push", [](Node node, Name n, HandlerSetting& to) { to.url = text_of(node, n); }},
    {"replay", [](Node node, Name n, HandlerSetting& to) { to.replay = truth_of(node, n); }},
    {"secretName",
     [](Node node, Name n, HandlerSetting& to) { to.secret_name = text_of(node, n); }},
    {"concurrency",
     [](Node node, Name n, HandlerSetting& to) {
       to.concurrency = static_cast<int>(whole_of(node, n, 1, 10'000));
     }},
    {"memoryBytes",
     [](Node node, Name n, HandlerSetting& to) { to.memory_bytes = whole_of(node, n, 0, many); }},
    {"cpuSeconds",
     [](Node node, Name n, HandlerSetting& to) { to.cpu_seconds = whole_of(node, n, 0, many); }},
    {"outputBytes",
     [](Node node, Name n, HandlerSetting& to) {
       to.output_bytes = whole_of(node, n, 0, 1024 * 1024);
     }},
    {"openFiles",
     [](Node node, Name n, HandlerSetting& to) { to.open_files = whole_of(node, n, 0, 1 << 30); }},
    {"processes",
     [](Node node, Name n, HandlerSetting& to) { to.processes = whole_of(node, n, 0, 1 << 30); }},
    {"fileBytes",
     [](Node node, Name n, HandlerSetting& to) { to.file_bytes = whole_of(node, n, 0, many); }},
    {"user", [](Node node, Name n, HandlerSetting& to) { to.user = text_of(node, n); }},
    {"passEnv", [](Node node, Name n, HandlerSetting& to) { to.passed = texts_of(node, n); }},
    {"env", read_variables},
}};

// "POST /reports/{id}"
void read_route(Node node, Name name, Endpoint& to) {
  const std::string text = text_of(node, name);
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) refuse(node, "route must look like \"POST /reports/{id}\"");
  to.method = text.substr(0, space);
  to.path = text.substr(text.find_first_not_of(' ', space));
}

constexpr std::array<TomlField<Endpoint>, 7> endpoint_fields = {{
    {"route", read_route},
    {"method", [](Node node, Name n, Endpoint& to) { to.method = text_of(node, n); }},
    {"path", [](Node node, Name n, Endpoint& to) { to.path = text_of(node, n); }},
    {"jobType", [](Node node, Name n, Endpoint& to) { to.job_type = text_of(node, n); }},
    {"queue", [](Node node, Name n, Endpoint& to) { to.queue = text_of(node, n); }},
    {"priority", [](Node node, Name n,
                    Endpoint& to) { to.priority = static_cast<int>(whole_of(node, n, 0, 9)); }},
    {"keepHeaders", [](Node node, Name n, Endpoint& to) { to.keep_headers = texts_of(node, n); }},
}};

constexpr std::array<TomlField<SecretSetting>, 3> secret_fields = {{
    {"file", [](Node node, Name n, SecretSetting& to) { to.file = text_of(node, n); }},
    {"namespace", [](Node node, Name n, SecretSetting& to) { to.ns = text_of(node, n); }},
    {"urls", [](Node node, Name n, SecretSetting& to) { to.urls = texts_of(node, n); }},
}};

}  // namespace

void read_handlers(const toml::node& node, std::map<std::string, HandlerSetting>& handlers) {
  const toml::table* table = node.as_table();
  if (table == nullptr)
    refuse(node, "work.handlers must contain tables, such as [work.handlers.TYPE]");
  for (const auto& [key, value] : *table) {
    const std::string type(key.str());
    const std::string where = "work.handlers." + type;
    if (auto fault = job_type_fault(type)) refuse(value, where + ": " + *fault);
    HandlerSetting& handler = handlers[type];
    read_table(value, where, handler_fields, handler);
    if (handler.program.empty() == handler.url.empty()) {
      refuse(value, where + " needs either exec = \"PROGRAM\" or push = \"URL\"");
    }
    if (handler.replay && handler.url.empty()) refuse(value, where + ": replay needs push");
  }
}

void read_secrets(const toml::table& table, std::map<std::string, SecretSetting>& secrets) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    const std::string where = "secrets." + name;
    SecretSetting& secret = secrets[name];
    read_table(value, where, secret_fields, secret);
    if (secret.file.empty() || secret.ns.empty() || secret.urls.empty()) {
      refuse(value,
             where + " needs file = \"PATH\", namespace = \"NAME\" and urls = [\"https://...\"]");
    }
    Result<Nothing> bound = SecretBindings().add(name, {.ns = secret.ns, .urls = secret.urls});
    if (!bound) refuse(value, bound.error().message);
  }
}

void read_endpoints(const toml::node& node, std::vector<Endpoint>& endpoints) {
  const toml::array* array = node.as_array();
  if (array == nullptr) refuse(node, "endpoints must be an array of tables: [[endpoints]]");
  for (const toml::node& element : *array) {
    Endpoint endpoint;
    read_table(element, "endpoints", endpoint_fields, endpoint);
    endpoints.push_back(std::move(endpoint));
    if (auto fault = endpoints_fault(endpoints)) refuse(element, "endpoints: " + *fault);
  }
}

}  // namespace longshore
