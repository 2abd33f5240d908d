#include "cli/command.h"

namespace longshore {
namespace {

using Kind = Flag::Kind;

const std::vector<CliCommand> table = {
    {.name = "serve",
     .summary = "serve the API and run what time brings",
     .options = {"store",
                 "profile",
                 "accept-durability",
                 "idempotency.mismatch",
                 "node-name",
                 "listen",
                 "base-url",
                 "tls-cert",
                 "tls-key",
                 "allow-plaintext",
                 "token-key",
                 "io-threads",
                 "limits.connections",
                 "limits.body-bytes",
                 "limits.batch-bytes",
                 "limits.header-time",
                 "limits.body-time",
                 "limits.idle-time",
                 "log-format",
                 "log-level"},
     .run = run_serve},
    {.name = "work",
     .summary = "run programs for the jobs of a server",
     .options = {"server", "token", "ca-cert", "exec", "queue", "concurrency", "worker-name",
                 "lease-time", "grace", "log-format", "log-level"},
     .run = run_work},
    {.name = "enqueue",
     .summary = "bring a job in",
     .arguments = {{"JOB_TYPE", "what kind of job it is"}},
     .options = {"server", "token", "ca-cert", "json"},
     .flags = {{"--payload", "its payload, JSON; - reads standard input", Kind::text, "JSON"},
               {"--payload-file", "a file that holds the payload", Kind::text, "FILE"},
               {"--queue", "its queue", Kind::text, "NAME"},
               {"--priority", "0 to 9, 0 first", Kind::text, "NUMBER"},
               {"--delay", "run it this much later, such as 5m", Kind::text, "DURATION"},
               {"--run-at", "run it then, RFC 3339", Kind::text, "TIME"},
               {"--expires-at", "do not start it any more then, RFC 3339", Kind::text, "TIME"},
               {"--job-key", "one live job of each type and key", Kind::text, "KEY"},
               {"--idempotency-key", "one job ever", Kind::text, "KEY"},
               {"--on-conflict", "existing, reject or replace, if the job key is taken", Kind::text,
                "WORD"},
               {"--max-retries", "0 to 100", Kind::text, "NUMBER"},
               {"--timeout", "longest time of one attempt, such as 90s", Kind::text, "DURATION"},
               {"--tag", "a tag; may be repeated", Kind::many, "TEXT"},
               {"--metadata", "may be repeated", Kind::many, "NAME=VALUE"},
               {"--wait", "wait so long for its end and print its result; 6 if it failed",
                Kind::text, "DURATION"}},
     .run = run_enqueue},
    {.name = "get",
     .summary = "show a job",
     .arguments = {{"JOB_ID", "which job"}},
     .options = {"server", "token", "ca-cert", "json"},
     .flags = {{"--wait", "wait so long for its end; 6 if it failed", Kind::text, "DURATION"},
               {"--result", "print its result instead", Kind::boolean}},
     .run = run_get},
    {.name = "migrate",
     .summary = "bring the tables of a store up to date, which serve does by itself",
     .options = {"store", "json"},
     .flags = {{"--plan", "only print the SQL that would run", Kind::boolean}},
     .run = run_migrate},
    {.name = "token create",
     .summary = "make a token; it is shown this once",
     .options = {"store", "profile", "token-key", "server", "token", "ca-cert", "json"},
     .flags = {{"--role", "producer, worker, viewer, operator or admin", Kind::text, "ROLE"},
               {"--name", "what operators see it as", Kind::text, "NAME"},
               {"--namespace", "whose jobs it reaches; default: default", Kind::text, "NAME"},
               {"--expires", "how long it is good, such as 90d; default: for ever", Kind::text,
                "DURATION"}},
     .run = run_token_create},
    {.name = "token list",
     .summary = "show the tokens, without their secrets",
     .options = {"store", "profile", "token-key", "server", "token", "ca-cert", "json"},
     .run = run_token_list},
    {.name = "token revoke",
     .summary = "end a token",
     .arguments = {{"TOKEN_ID", "as `token list` shows it"}},
     .options = {"store", "profile", "token-key", "server", "token", "ca-cert", "json"},
     .run = run_token_revoke},
    {.name = "config",
     .summary = "show what every option is set to, and by whom",
     .options = {},
     .run = run_config},
};

}  // namespace

std::span<const CliCommand> all_commands() { return table; }

std::optional<std::string> Invocation::flag(std::string_view name) const {
  const auto found = flags.find(name);
  if (found == flags.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

}  // namespace longshore
