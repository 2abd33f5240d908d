#include <algorithm>

#include "cli/command.h"
#include "server/settings/rule_options.h"

namespace longshore {
namespace {

using Kind = Flag::Kind;

// The options of commands that run jobs: serve and work.
std::vector<std::string_view> with_handler_options(std::vector<std::string_view> options) {
  options.insert(options.end(), {"exec",
                                 "push",
                                 "push-secret",
                                 "queue",
                                 "queue-limit",
                                 "type-limit",
                                 "concurrency",
                                 "worker-name",
                                 "lease-time",
                                 "grace",
                                 "programs.memory-bytes",
                                 "programs.cpu-seconds",
                                 "programs.output-bytes",
                                 "programs.open-files",
                                 "programs.processes",
                                 "programs.file-bytes",
                                 "programs.folder",
                                 "programs.user",
                                 "programs.pass-env",
                                 "programs.allow-setuid",
                                 "programs.cgroups",
                                 "outgoing.allow",
                                 "outgoing.ca-cert",
                                 "outgoing.timeout",
                                 "secrets",
                                 "log-format",
                                 "log-level"});
  return options;
}

const std::vector<CliCommand> table = {
    {.name = "serve",
     .summary = "Start the server: API, scheduler, dashboard",
     .options = with_handler_options({"store",
                                      "profile",
                                      "rules.revision",
                                      "rules.source",
                                      "accept-durability",
                                      "idempotency.mismatch",
                                      "node-name",
                                      "node-file",
                                      "recovery",
                                      "listen",
                                      "base-url",
                                      "ui.redact",
                                      "tls-cert",
                                      "tls-key",
                                      "allow-plaintext",
                                      "token-key",
                                      "require-tokens",
                                      "trusted-proxies",
                                      "io-threads",
                                      "limits.connections",
                                      "limits.requests",
                                      "limits.streams",
                                      "limits.polls",
                                      "limits.queues",
                                      "limits.bytes",
                                      "limits.share",
                                      "limits.scan-time",
                                      "limits.body-bytes",
                                      "limits.batch-bytes",
                                      "limits.header-time",
                                      "limits.body-time",
                                      "limits.idle-time",
                                      "log-repeat",
                                      "pool",
                                      "outgoing.concurrency"}),
     .rules = true,
     .examples = {{"longshore serve", "listen on 127.0.0.1:7788 and store jobs in longshore.db"},
                  {"longshore serve --store postgres://jobs@db/jobs --listen 0.0.0.0:7788 "
                   "--tls-cert chain.pem --tls-key key.pem",
                   "start one of several nodes on PostgreSQL; create a token first"},
                  {"longshore serve --exec email.send=./send-email",
                   "also run the jobs of that type inside the server"}},
     .run = run_serve},
    {.name = "work",
     .summary = "Run jobs of a server with programs, or push them to services",
     .options = with_handler_options({"server", "token", "token-file", "ca-cert"}),
     .examples = {{"longshore work --exec email.send=./send-email --queue mail --concurrency 8",
                   "run ./send-email for each job, eight at once"}},
     .run = run_work},
    {.name = "migrate",
     .summary = "Migrate the schema of a store, which serve also does at start",
     .options = {"store", "json"},
     .flags = {{"--plan", "print the SQL without running it", Kind::boolean}},
     .examples = {{"longshore migrate --store postgres://jobs@db/jobs --plan",
                   "show the SQL of an upgrade for review"}},
     .run = run_migrate},
    {.name = "token create",
     .summary = "Create a token and print it; it cannot be shown again",
     .options = {"store", "profile", "token-key", "server", "token", "token-file", "ca-cert",
                 "json"},
     .flags = {{"--role",
                "permissions of the token",
                Kind::text,
                "ROLE",
                {"producer", "worker", "viewer", "operator", "admin"}},
               {"--name", "name shown to operators", Kind::text, "NAME"},
               {"--namespace", "namespace of the jobs that it can access [default]", Kind::text,
                "NAME"},
               {"--expires", "lifetime, such as 90d [never]", Kind::text, "DURATION"}},
     .examples = {{"longshore token create --role operator --name ada",
                   "print only the token on standard output"}},
     .run = run_token_create},
    {.name = "token list",
     .summary = "List tokens without their secrets",
     .options = {"store", "profile", "token-key", "server", "token", "token-file", "ca-cert",
                 "json"},
     .examples = {{"longshore token list", "show ID, role, expiry and last use of each token"}},
     .run = run_token_list},
    {.name = "token revoke",
     .summary = "Revoke a token",
     .arguments = {{"TOKEN_ID", "ID of the token; see `token list`"}},
     .options = {"store", "profile", "token-key", "server", "token", "token-file", "ca-cert",
                 "json"},
     .examples = {{"longshore token revoke 0f3a9c", "reject the token from now on"}},
     .run = run_token_revoke},
    {.name = "config",
     .summary = "Show the value and source of every option",
     .options = {},
     .examples = {{"longshore config --json", "print the settings for a script"}},
     .run = run_config},
    {.name = "completion",
     .summary = "Print a completion script for a shell",
     .arguments = {{.name = "SHELL", .help = "which", .words = {"bash", "zsh", "fish"}}},
     .examples = {{"source <(longshore completion bash)", "enable completion in this shell"},
                  {"longshore completion fish > ~/.config/fish/completions/longshore.fish",
                   "enable completion in every new fish"}},
     .run = run_completion},
    {.name = "manual",
     .summary = "Print the manual",
     .flags = {{"--format", "output format", Kind::text, "WORD", {"man", "markdown"}}},
     .examples = {{"longshore manual | man -l -", "read the manual"}},
     .run = run_manual},
};

std::vector<CliCommand> joined() {
  std::vector<CliCommand> all = job_commands();
  for (CliCommand& command : operator_commands()) all.push_back(std::move(command));
  // A new user needs serve and work first.
  all.insert(all.begin(), table.begin(), table.begin() + 2);
  all.insert(all.end(), table.begin() + 2, table.end());
  return all;
}

}  // namespace

std::span<const CliCommand> all_commands() {
  static const std::vector<CliCommand> all = joined();
  return all;
}

std::string_view group_summary(std::string_view group) {
  return group == "token" ? "Create, list and revoke tokens" : "";
}

std::vector<const Option*> options_of(const CliCommand& command) {
  std::vector<const Option*> options;
  const auto takes = [&](const Option& option) {
    const auto is_it = [&](const auto& name) { return option.name == name; };
    if (command.name == "config" || std::ranges::any_of(command.options, is_it)) return true;
    return command.rules && std::ranges::any_of(rule_options(), is_it, &Option::name);
  };
  for (const Option& option : all_options()) {
    if (takes(option)) options.push_back(&option);
  }
  return options;
}

std::optional<std::string> Invocation::flag(std::string_view name) const {
  const auto found = flags.find(name);
  if (found == flags.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

}  // namespace longshore
