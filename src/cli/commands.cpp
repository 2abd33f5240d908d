#include <algorithm>

#include "cli/command.h"
#include "server/settings/rule_options.h"

namespace longshore {
namespace {

using Kind = Flag::Kind;

// What whoever runs jobs has to be told, the server itself or a worker beside it.
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
     .summary = "serve the API and run what time brings",
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
     .examples = {{"longshore serve", "on 127.0.0.1:7788, with its jobs in longshore.db"},
                  {"longshore serve --store postgres://jobs@db/jobs --listen 0.0.0.0:7788 "
                   "--tls-cert chain.pem --tls-key key.pem",
                   "one of several nodes on PostgreSQL; make a token first"},
                  {"longshore serve --exec email.send=./send-email",
                   "and run the jobs of that type in the server itself"}},
     .run = run_serve},
    {.name = "work",
     .summary = "run programs for the jobs of a server, or send them on",
     .options = with_handler_options({"server", "token", "token-file", "ca-cert"}),
     .examples = {{"longshore work --exec email.send=./send-email --queue mail --concurrency 8",
                   "run ./send-email for each job, eight at once"}},
     .run = run_work},
    {.name = "migrate",
     .summary = "bring the tables of a store up to date, which serve does by itself",
     .options = {"store", "json"},
     .flags = {{"--plan", "only print the SQL that would run", Kind::boolean}},
     .examples = {{"longshore migrate --store postgres://jobs@db/jobs --plan",
                   "what an upgrade would run, for whoever keeps the database"}},
     .run = run_migrate},
    {.name = "token create",
     .summary = "make a token; it is shown this once",
     .options = {"store", "profile", "token-key", "server", "token", "token-file", "ca-cert",
                 "json"},
     .flags = {{"--role",
                "what it may do",
                Kind::text,
                "ROLE",
                {"producer", "worker", "viewer", "operator", "admin"}},
               {"--name", "what operators see it as", Kind::text, "NAME"},
               {"--namespace", "whose jobs it reaches; default: default", Kind::text, "NAME"},
               {"--expires", "how long it is good, such as 90d; default: for ever", Kind::text,
                "DURATION"}},
     .examples = {{"longshore token create --role operator --name ada",
                   "the token alone goes to standard output"}},
     .run = run_token_create},
    {.name = "token list",
     .summary = "show the tokens, without their secrets",
     .options = {"store", "profile", "token-key", "server", "token", "token-file", "ca-cert",
                 "json"},
     .examples = {{"longshore token list", "with their roles, and when each was used last"}},
     .run = run_token_list},
    {.name = "token revoke",
     .summary = "end a token",
     .arguments = {{"TOKEN_ID", "as `token list` shows it"}},
     .options = {"store", "profile", "token-key", "server", "token", "token-file", "ca-cert",
                 "json"},
     .examples = {{"longshore token revoke 0f3a9c", "whoever has it is refused from now on"}},
     .run = run_token_revoke},
    {.name = "config",
     .summary = "show what every option is set to, and by whom",
     .options = {},
     .examples = {{"longshore config --json", "for a script"}},
     .run = run_config},
    {.name = "completion",
     .summary = "print a script by which a shell completes commands",
     .arguments = {{.name = "SHELL", .help = "which", .words = {"bash", "zsh", "fish"}}},
     .examples = {{"source <(longshore completion bash)", "for this shell"},
                  {"longshore completion fish > ~/.config/fish/completions/longshore.fish",
                   "for every fish from now on"}},
     .run = run_completion},
    {.name = "manual",
     .summary = "print the manual",
     .flags = {{"--format", "as what", Kind::text, "WORD", {"man", "markdown"}}},
     .examples = {{"longshore manual | man -l -", "read it"}},
     .run = run_manual},
};

std::vector<CliCommand> joined() {
  std::vector<CliCommand> all = job_commands();
  for (CliCommand& command : operator_commands()) all.push_back(std::move(command));
  // Whoever comes first wants to serve and to work; what is left comes last.
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
  return group == "token" ? "make, show and end tokens" : "";
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
