// The program's commands, described so that parsing, help and "did you mean" come from one table.
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

// A flag of one command, besides the options of server/settings/option.h.
struct Flag {
  enum class Kind { text, boolean, many };
  std::string_view name;  // "--payload"
  std::string_view help;
  Kind kind = Kind::text;
  std::string_view value = "TEXT";           // what the help calls its value
  std::vector<std::string_view> words = {};  // the only values there are, if any are named
  bool several = false;         // takes words separated by commas; its command checks them
  std::string_view alone = {};  // the duration it means when it stands alone, if it may
};

struct Argument {
  std::string_view name;  // "JOB_ID"
  std::string_view help;
  bool required = true;
  bool many = false;
  std::vector<std::string_view> words = {};  // the only values there are, if any are named
};

// A command line that somebody may copy, and what it does.
struct Example {
  std::string_view line;
  std::string_view what;
};

// What was asked for.
struct Invocation {
  Settings settings;
  std::map<std::string, std::vector<std::string>, std::less<>> flags;  // those given
  std::vector<std::string> arguments;

  bool has(std::string_view flag) const { return flags.contains(flag); }
  // The last value given; nothing if none was.
  std::optional<std::string> flag(std::string_view name) const;
};

using Run = ExitCode (*)(const Invocation& invocation);

struct CliCommand {
  std::string_view name;         // "enqueue", "token create"
  std::string_view summary;      // one line
  std::string_view detail = {};  // what else one has to know: sentences
  std::vector<Argument> arguments = {};
  std::vector<std::string_view> options = {};  // by their names in server/settings/option.h
  bool rules = false;                          // and those of server/settings/rule_options.h
  std::vector<Flag> flags = {};
  std::vector<Example> examples = {};
  Run run = nullptr;
};

// Help, completion, the man page and docs/cli.md are all made from this table.
std::span<const CliCommand> all_commands();
// Parts of it, a file for each.
std::vector<CliCommand> job_commands();
std::vector<CliCommand> operator_commands();

// The flags that choose jobs, for commands that act on many.
std::vector<Flag> with_filter_flags(std::vector<Flag> others);

// What a group of commands is for that is none itself, such as "token".
std::string_view group_summary(std::string_view group);
// The options a command takes, in the order of the table of options; of `config` that is every one.
std::vector<const Option*> options_of(const CliCommand& command);

// Reads the command line, finds the settings and runs the command. What it prints on the way goes
// to standard output and error.
ExitCode run_command_line(int argc, char** argv);

// Says on standard error what went wrong, and answers the code to exit with.
ExitCode complain(const Error& error);
ExitCode complain_usage(std::string_view message);

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
