// The commands about queues, stores and servers, as rows of the table.
#include "cli/command.h"

namespace longshore {
namespace {

using Kind = Flag::Kind;

const std::vector<std::string_view> server_options = {"server",  "token", "token-file",
                                                      "ca-cert", "json",  "output"};
const std::vector<std::string_view> either_options = {"store",      "profile", "server", "token",
                                                      "token-file", "ca-cert", "json",   "output"};

std::vector<CliCommand> queues() {
  const std::vector<Argument> names = {{.name = "QUEUE", .help = "which queues", .many = true}};
  return {{.name = "queues",
           .summary = "show the queues: how deep, how old, how fast",
           .options = server_options,
           .examples = {{"longshore queues", "a line for each"}},
           .run = run_queues},
          {.name = "queues pause",
           .summary = "hand out no more jobs of a queue",
           .arguments = names,
           .options = server_options,
           .examples = {{"longshore queues pause mail", "running jobs go on to their end"}},
           .run = run_queues_pause},
          {.name = "queues resume",
           .summary = "let a paused queue go on",
           .arguments = names,
           .options = server_options,
           .examples = {{"longshore queues resume mail", "its jobs are handed out again"}},
           .run = run_queues_resume}};
}

CliCommand apply() {
  return {.name = "apply",
          .summary = "apply the rules of a configuration file to a server's store",
          .detail =
              "Sends [rules] of the file; rules that it does not name stay as they are. A "
              "revision below the one that the store has of the same source is refused. Every "
              "node uses the new rules within seconds; jobs keep the retries, timeout and "
              "back-off they were enqueued with.",
          .arguments = {{.name = "FILE", .help = "the configuration, TOML"}},
          .options = server_options,
          .flags = {{"--dry-run", "only say what would change", Kind::boolean},
                    {"--prune", "also remove what the file no longer declares; rules never are",
                     Kind::boolean}},
          .examples = {{"longshore apply longshore.toml --dry-run", "what would change"},
                       {"longshore apply longshore.toml", "change it"}},
          .run = run_apply};
}

CliCommand top() {
  return {.name = "top",
          .summary = "watch the queues live",
          .detail =
              "Keys: s sorts by the next column, / filters by name, up and down choose a "
              "queue, p pauses or resumes it, r refreshes, q quits. Without a terminal it "
              "prints once.",
          .options = server_options,
          .flags = {{"--interval", "time between two looks [1s]", Kind::text, "DURATION"},
                    {"--sort",
                     "by what, largest first [queued]",
                     Kind::text,
                     "WORD",
                     {"name", "queued", "running", "dead", "oldest", "rate"}},
                    {"--filter", "only queues whose name holds this", Kind::text, "TEXT"},
                    {"--once", "print once and exit", Kind::boolean}},
          .examples = {{"longshore top --sort oldest", "the queue that waits longest first"}},
          .run = run_top};
}

CliCommand check() {
  return {.name = "check",
          .summary = "prove that a store agrees with itself",
          .detail =
              "Asks the server if one is named or holds the store, else opens the store. "
              "Exits with 0 if it is sound and with 1 if anything was found.",
          .options = either_options,
          .flags = {{"--repair",
                     "mend what follows from the jobs themselves, and say what was done; the "
                     "server must be stopped",
                     Kind::boolean},
                    {"--repair-clock",
                     "set the store's time back to this machine's clock, which must be right; the "
                     "server must be stopped",
                     Kind::boolean}},
          .examples = {{"longshore check --server http://127.0.0.1:7788", "a live server's store"},
                       {"longshore check --store sqlite:jobs.db --repair",
                        "a stopped store; make a copy of it first"}},
          .run = run_check};
}

CliCommand doctor() {
  std::vector<std::string_view> options = either_options;
  options.push_back("limits.connections");
  return {.name = "doctor",
          .summary = "look for what is wrong around Longshore, and say what to do",
          .detail =
              "Looks at the store, its durability, clocks, versions, limits, disk space, unsafe "
              "settings, files that others can read, and queues without workers. Exits with 1 if "
              "there is a problem; warnings are not.",
          .options = std::move(options),
          .examples = {{"longshore doctor", "of this machine, its store and its server"}},
          .run = run_doctor};
}

CliCommand bench() {
  return {
      .name = "bench",
      .summary = "measure how fast jobs go in and out of a server or a store",
      .detail =
          "Uses a queue of its own and jobs that do nothing. With --store it opens the "
          "store itself, as a program that uses the library does.",
      .options = either_options,
      .flags = {{"--jobs", "how many [10000]", Kind::text, "NUMBER"},
                {"--at-once", "jobs in one call [100]", Kind::text, "NUMBER"},
                {"--connections", "calls at the same time [4]", Kind::text, "NUMBER"},
                {"--payload-bytes", "size of a payload [100]", Kind::text, "NUMBER"}},
      .examples = {{"longshore bench --jobs 50000", "a server, with the rate and the latencies"},
                   {"longshore bench --store sqlite:bench.db --at-once 1 --connections 8",
                    "single jobs right into a store"}},
      .run = run_bench};
}

}  // namespace

std::vector<CliCommand> operator_commands() {
  std::vector<CliCommand> commands = queues();
  for (CliCommand (*command)() : {apply, top, check, doctor, bench}) commands.push_back(command());
  return commands;
}

}  // namespace longshore
