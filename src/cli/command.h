// The table of commands, from which the parser, help, completion, the man page and docs/cli.md are
// generated.
//
// A new command needs a row in commands*.cpp, a run_ function declared below and defined in
// commands/, and its file in CMakeLists.txt. A new option needs a row in
// server/settings/option_table.cpp and its name in the `options` of its commands.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "server/settings/settings.h"

namespace longshore {

// A flag of one command. Options that several commands share are in server/settings/option.h.
struct Flag {
  enum class Kind { text, boolean, many };
  std::string_view name;  // "--payload"
  std::string_view help;
  Kind kind = Kind::text;
  std::string_view value = "TEXT";           // placeholder of the value in the help
  std::vector<std::string_view> words = {};  // the valid values; empty: any
  bool several = false;            // takes words separated by commas; the command checks them
  std::string_view implicit = {};  // the duration if no value follows; empty: a value is required
};

struct Argument {
  std::string_view name;  // "JOB_ID"
  std::string_view help;
  bool required = true;
  bool many = false;
  std::vector<std::string_view> words = {};  // the valid values; empty: any
};

// A command line to copy, and what it does.
struct Example {
  std::string_view line;
  std::string_view what;
};

// A parsed command line.
struct Invocation {
  Settings settings;
  std::map<std::string, std::vector<std::string>, std::less<>> flags;  // only flags that were given
  std::vector<std::string> arguments;

  bool has(std::string_view flag) const { return flags.contains(flag); }
  // The last value given; nothing if there is none.
  std::optional<std::string> flag(std::string_view name) const;
};

using Run = ExitCode (*)(const Invocation& invocation);

struct CliCommand {
  std::string_view name;         // "enqueue", "token create"
  std::string_view summary;      // one line that begins with a verb
  std::string_view detail = {};  // sentences shown below the options
  std::vector<Argument> arguments = {};
  std::vector<std::string_view> options = {};  // names in server/settings/option.h
  bool rules = false;                          // also those of server/settings/rule_options.h
  std::vector<Flag> flags = {};
  std::vector<Example> examples = {};
  Run run = nullptr;
};

// All rows, in the order of the help.
std::span<const CliCommand> all_commands();
// Parts of the table, one per file.
std::vector<CliCommand> job_commands();
std::vector<CliCommand> operator_commands();

// Adds the flags that filter jobs.
std::vector<Flag> with_filter_flags(std::vector<Flag> others);

// The summary of a group that is not a command itself, such as "token".
std::string_view group_summary(std::string_view group);
// The options of a command, in the order of the table of options; for `config`, all of them.
std::vector<const Option*> options_of(const CliCommand& command);

// Parses the command line, reads the settings and runs the command.
ExitCode run_command_line(int argc, char** argv);

// Print an error on standard error and return the exit code.
ExitCode print_error(const Error& error);
ExitCode usage_error(std::string_view message);

// ---- The commands -----------------------------------------------------------------------------

ExitCode run_apply(const Invocation& invocation);
ExitCode run_bench(const Invocation& invocation);
ExitCode run_cancel(const Invocation& invocation);
ExitCode run_check(const Invocation& invocation);
ExitCode run_completion(const Invocation& invocation);
ExitCode run_config(const Invocation& invocation);
ExitCode run_dead(const Invocation& invocation);
ExitCode run_doctor(const Invocation& invocation);
ExitCode run_enqueue(const Invocation& invocation);
ExitCode run_get(const Invocation& invocation);
ExitCode run_list(const Invocation& invocation);
ExitCode run_manual(const Invocation& invocation);
ExitCode run_migrate(const Invocation& invocation);
ExitCode run_queues(const Invocation& invocation);
ExitCode run_queues_pause(const Invocation& invocation);
ExitCode run_queues_resume(const Invocation& invocation);
ExitCode run_redrive(const Invocation& invocation);
ExitCode run_serve(const Invocation& invocation);
ExitCode run_token_create(const Invocation& invocation);
ExitCode run_token_list(const Invocation& invocation);
ExitCode run_token_revoke(const Invocation& invocation);
ExitCode run_top(const Invocation& invocation);
ExitCode run_work(const Invocation& invocation);

}  // namespace longshore
