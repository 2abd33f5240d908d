#include <iostream>
#include <map>

#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "cli/command.h"
#include "cli/terminal/output.h"
#include "core/json/json_scan.h"
#include "longshore/json.h"
#include "server/settings/rule_options.h"

namespace longshore {
namespace {

// The settings of the file only, without the environment and flags.
Result<Settings> settings_in(const std::string& path) {
  Result<FileSettings> file = read_settings_file(path);
  if (!file) return file.error();
  Settings::Sources sources;
  sources.file = std::move(*file);
  return Settings::from(std::move(sources));
}

bool is_set(const Settings& settings, std::string_view option) {
  for (const Setting& setting : settings.all()) {
    if (setting.option->name == option) return setting.source != "default";
  }
  return false;
}

void write_rules(JsonWriter& json, const Settings& file) {
  std::map<std::string, std::string> rules = configured_rules(file);
  if (is_set(file, "profile")) rules["profile"] = file.text("profile");
  json.name("rules");
  json.begin_object();
  for (const auto& [name, value] : rules) {
    json.name(name);
    const auto scanned = scan_json(value);
    if (scanned && scanned->kind != JsonKind::string) {
      json.raw(value);
    } else {
      json.string(value);
    }
  }
  json.end_object();
}

Result<std::string> body_of(const Invocation& invocation) {
  const Result<Settings> file = settings_in(invocation.arguments.front());
  if (!file) return file.error();
  if (const Result<Rules> sound = rules_of(*file); !sound) return sound.error();
  JsonWriter json;
  json.begin_object();
  json.name("source");
  json.string(file->text("rules.source"));
  if (is_set(*file, "rules.revision")) {
    json.name("revision");
    json.integer(file->natural("rules.revision"));
  }
  json.name("prune");
  json.boolean(invocation.has("--prune"));
  json.name("dryRun");
  json.boolean(invocation.has("--dry-run"));
  write_rules(json, *file);
  json.end_object();
  return json.take();
}

void print_changes(const JsonRow& answer, bool dry_run) {
  const auto changes = answer.list("changes");
  for (const std::string_view change : changes) {
    const JsonRow row(change);
    std::cout << row.text("name") << ": " << row.text("from") << " → " << row.text("to") << "\n";
  }
  std::cout << "Revision " << answer.integer("revision") << ": " << changes.size()
            << (changes.size() == 1 ? " change" : " changes")
            << (dry_run ? " to apply" : " applied") << "\n";
}

}  // namespace

ExitCode run_apply(const Invocation& invocation) {
  const Result<std::string> body = body_of(invocation);
  if (!body) return usage_error(body.error().message);
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  Result<HttpReply> reply = call_api(**client, {.method = "POST", .path = "/apply", .body = *body});
  if (!reply) return print_error(reply.error());
  if (format_of(invocation.settings) != Format::text) {
    std::cout << reply->body << "\n";
  } else {
    print_changes(JsonRow(reply->body), invocation.has("--dry-run"));
  }
  return ExitCode::done;
}

}  // namespace longshore
