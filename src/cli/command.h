// The program's commands, described so that parsing, help and "did you mean" come from one table.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "server/settings.h"

namespace longshore {

// A flag of one command, besides the options of server/option.h.
struct Flag {
  enum class Kind { text, boolean, many };
  std::string_view name;  // "--payload"
  std::string_view help;
  Kind kind = Kind::text;
  std::string_view value = "TEXT";  // what the help calls its value
};

struct Argument {
  std::string_view name;  // "JOB_ID"
  std::string_view help;
  bool required = true;
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
  std::string_view name;     // "enqueue", "token create"
  std::string_view summary;  // one line
  std::vector<Argument> arguments;
  std::vector<std::string_view> options;  // by their names in server/option.h
  std::vector<Flag> flags;
  Run run = nullptr;
};

std::span<const CliCommand> all_commands();

// Reads the command line, finds the settings and runs the command. What it prints on the way goes
// to standard output and error.
ExitCode run_command_line(int argc, char** argv);

// Says on standard error what went wrong, and answers the code to exit with.
ExitCode complain(const Error& error);
ExitCode complain_usage(std::string_view message);

// ---- The commands -----------------------------------------------------------------------------

ExitCode run_config(const Invocation& invocation);
ExitCode run_enqueue(const Invocation& invocation);
ExitCode run_get(const Invocation& invocation);
ExitCode run_migrate(const Invocation& invocation);
ExitCode run_serve(const Invocation& invocation);
ExitCode run_token_create(const Invocation& invocation);
ExitCode run_token_list(const Invocation& invocation);
ExitCode run_token_revoke(const Invocation& invocation);
ExitCode run_work(const Invocation& invocation);

}  // namespace longshore
