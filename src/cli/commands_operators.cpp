// The rows of commands about queues, stores and servers.
#include "cli/command.h"

namespace longshore {
namespace {

using Kind = Flag::Kind;

const std::vector<std::string_view> server_options = {"server",  "token", "token-file",
                                                      "ca-cert", "json",  "output"};
const std::vector<std::string_view> either_options = {"store",      "profile", "server", "token",
                                                      "token-file", "ca-cert", "json",   "output"};

std::vector<CliCommand> queues() {
  const std::vector<Argument> names = {{.name = "QUEUE", .help = "names of queues", .many = true}};
  return {{.name = "queues",
           .summary = "List queues with depth, age and throughput",
           .options = server_options,
           .examples = {{"longshore queues", "print one line per queue"}},
           .run = run_queues},
          {.name = "queues pause",
           .summary = "Pause queues: workers get no more jobs from them",
           .arguments = names,
           .options = server_options,
           .examples = {{"longshore queues pause mail", "pause one queue; running jobs continue"}},
           .run = run_queues_pause},
          {.name = "queues resume",
           .summary = "Resume paused queues",
           .arguments = names,
           .options = server_options,
           .examples = {{"longshore queues resume mail", "workers get jobs of the queue again"}},
           .run = run_queues_resume}};
}

CliCommand apply() {
  return {
      .name = "apply",
      .summary = "Apply the rules of a configuration file to a server's store",
      .detail =
          "Sends the [rules] section of the file; other rules do not change. A "
          "revision lower than that of the store, for the same source, is rejected. Every "
          "node uses the new rules within seconds; jobs keep the retries, timeout and "
          "back-off they were enqueued with.",
      .arguments = {{.name = "FILE", .help = "configuration file, TOML"}},
      .options = server_options,
      .flags = {{"--dry-run", "show the changes without applying them", Kind::boolean},
                {"--prune",
                 "also remove objects that the file no longer declares; rules are never removed",
                 Kind::boolean}},
      .examples = {{"longshore apply longshore.toml --dry-run", "show the changes"},
                   {"longshore apply longshore.toml", "apply the changes"}},
      .run = run_apply};
}

CliCommand top() {
  return {.name = "top",
          .summary = "Watch queues live",
          .detail =
              "Keys: s sorts by the next column, / filters by name, up and down choose a "
              "queue, p pauses or resumes it, r refreshes, q quits. Without a terminal it "
              "prints once.",
          .options = server_options,
          .flags = {{"--interval", "refresh interval [1s]", Kind::text, "DURATION"},
                    {"--sort",
                     "sort column, largest first [queued]",
                     Kind::text,
                     "WORD",
                     {"name", "queued", "running", "dead", "oldest", "rate"}},
                    {"--filter", "only queues whose name contains this text", Kind::text, "TEXT"},
                    {"--once", "print once and exit", Kind::boolean}},
          .examples = {{"longshore top --sort oldest", "show the queue with the oldest job first"}},
          .run = run_top};
}

CliCommand check() {
  return {
      .name = "check",
      .summary = "Check a store for inconsistencies",
      .detail =
          "Uses the server if --server is set or a server holds the store, else opens the store. "
          "Exits with 0 if the store is consistent and with 1 if it is not.",
      .options = either_options,
      .flags =
          {{"--repair",
            "repair indexes and counters from the jobs and list the repairs; stop the server "
            "first",
            Kind::boolean},
           {"--repair-clock",
            "set the store's time back to this machine's clock, which must be correct; stop the "
            "server first",
            Kind::boolean}},
      .examples = {{"longshore check --server http://127.0.0.1:7788",
                    "check the store of a running server"},
                   {"longshore check --store sqlite:jobs.db --repair",
                    "repair a store that is not in use; back it up first"}},
      .run = run_check};
}

CliCommand doctor() {
  std::vector<std::string_view> options = either_options;
  options.push_back("limits.connections");
  return {.name = "doctor",
          .summary = "Diagnose problems of the machine, store and server, and suggest fixes",
          .detail =
              "Checks the store, its durability, clocks, versions, limits, disk space, unsafe "
              "settings, files that others can read, and queues without workers. Exits with 1 if "
              "it finds a problem; warnings do not count.",
          .options = std::move(options),
          .examples = {{"longshore doctor", "check this machine, its store and its server"}},
          .run = run_doctor};
}

CliCommand bench() {
  return {
      .name = "bench",
      .summary = "Measure the job throughput of a server or a store",
      .detail =
          "Enqueues and completes jobs in a separate queue. With --store it opens the "
          "store directly, like a program that uses the library.",
      .options = either_options,
      .flags = {{"--jobs", "number of jobs [10000]", Kind::text, "NUMBER"},
                {"--at-once", "jobs per call [100]", Kind::text, "NUMBER"},
                {"--connections", "concurrent connections [4]", Kind::text, "NUMBER"},
                {"--payload-bytes", "size of a payload [100]", Kind::text, "NUMBER"}},
      .examples = {{"longshore bench --jobs 50000", "measure throughput and latency of a server"},
                   {"longshore bench --store sqlite:bench.db --at-once 1 --connections 8",
                    "measure a store with one job per call"}},
      .run = run_bench};
}

}  // namespace

std::vector<CliCommand> operator_commands() {
  std::vector<CliCommand> commands = queues();
  for (CliCommand (*command)() : {apply, top, check, doctor, bench}) commands.push_back(command());
  return commands;
}

}  // namespace longshore
