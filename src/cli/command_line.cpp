#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "cli/advice.h"
#include "cli/command.h"
#include "server/settings/duration_text.h"

namespace longshore {
namespace {

constexpr std::string_view version = LONGSHORE_VERSION;

// The parser's output. Outlives the run of the command.
struct Parsed {
  std::string config;
  std::map<const Option*, std::vector<std::string>> options;
  std::map<std::string, std::vector<std::string>, std::less<>> flags;
  std::vector<std::string> arguments;
};

std::string_view value_name(const Option& option) {
  switch (option.kind) {
    case Option::Kind::natural:
      return "NUMBER";
    case Option::Kind::duration:
      return "DURATION";
    case Option::Kind::choice:
      return "WORD";
    default:
      return "TEXT";
  }
}

std::string help_of(std::string_view text, const std::vector<std::string_view>& words) {
  std::string help(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    help += (i == 0 ? ": " : ", ") + std::string(words[i]);
  }
  return help;
}

std::string help_of(const Option& option) {
  std::string help = help_of(option.help, option.words);
  if (!option.fallback.empty()) help += " [" + std::string(option.fallback) + "]";
  return help;
}

void add_option(CLI::App& app, const Option& option, Parsed& parsed) {
  const bool boolean = option.kind == Option::Kind::boolean;
  CLI::Option* added = app.add_option_function<std::vector<std::string>>(
      flag_of(option),
      [&parsed, &option, boolean](const std::vector<std::string>& values) {
        auto& all = parsed.options[&option];
        for (const std::string& value : values) {
          all.push_back(boolean && value.empty() ? "true" : value);
        }
      },
      help_of(option));
  added->type_name(boolean ? "" : std::string(value_name(option)));
  added->expected(boolean ? 0 : 1, 1)->allow_extra_args(false);
  const bool list = option.kind == Option::Kind::list;
  added->multi_option_policy(list ? CLI::MultiOptionPolicy::TakeAll
                                  : CLI::MultiOptionPolicy::TakeLast);
}

void add_flag(CLI::App& app, const Flag& flag, Parsed& parsed) {
  const std::string name(flag.name);
  if (flag.kind == Flag::Kind::boolean) {
    app.add_flag_callback(
        name, [&parsed, name] { parsed.flags[name]; }, std::string(flag.help));
    return;
  }
  CLI::Option* added = app.add_option_function<std::vector<std::string>>(
      name,
      [&parsed, name](const std::vector<std::string>& values) { parsed.flags[name] = values; },
      help_of(flag.help, flag.words));
  added->type_name(std::string(flag.value))->expected(1)->allow_extra_args(false);
  added->multi_option_policy(flag.kind == Flag::Kind::many ? CLI::MultiOptionPolicy::TakeAll
                                                           : CLI::MultiOptionPolicy::TakeLast);
}

// Breaks a paragraph into lines.
std::string wrapped(std::string_view text, std::size_t columns = 80) {
  std::string lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (used > 0) lines += used + 1 + end > columns ? "\n" : " ";
    used = used > 0 && used + 1 + end <= columns ? used + 1 + end : end;
    lines += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string closing_of(const CliCommand& command) {
  std::string text;
  if (!command.detail.empty()) text += wrapped(command.detail) + "\n";
  if (command.examples.empty()) return text;
  text += text.empty() ? "Examples:" : "\nExamples:";
  for (const Example& example : command.examples) {
    text += "\n  " + std::string(example.line) + "\n      " + std::string(example.what);
  }
  return text;
}

void add_all(CLI::App& app, const CliCommand& command, Parsed& parsed) {
  app.add_option("--config", parsed.config, "configuration file, TOML [longshore.toml]")
      ->type_name("FILE");
  for (const Option* option : options_of(command)) add_option(app, *option, parsed);
  for (const Flag& flag : command.flags) add_flag(app, flag, parsed);
  for (const Argument& argument : command.arguments) {
    CLI::Option* added = app.add_option_function<std::vector<std::string>>(
        std::string(argument.name),
        [&parsed](const std::vector<std::string>& values) {
          parsed.arguments.insert(parsed.arguments.end(), values.begin(), values.end());
        },
        help_of(argument.help, argument.words));
    added->type_name("")->required(argument.required);
    if (!argument.many) added->expected(1);
  }
  app.footer([&command] { return closing_of(command); });
}

// Maps "token create" to the subcommand create of the subcommand token.
class Apps {
 public:
  explicit Apps(CLI::App& root) : root_(root) {}

  CLI::App& add(const CliCommand& command) {
    const std::size_t space = command.name.find(' ');
    const std::string summary(command.summary);
    if (space == std::string_view::npos) {
      CLI::App*& app = groups_[std::string(command.name)];
      app = root_.add_subcommand(std::string(command.name), summary);
      return *app;
    }
    const std::string word(command.name.substr(space + 1));
    return *group(std::string(command.name.substr(0, space))).add_subcommand(word, summary);
  }

 private:
  CLI::App& group(const std::string& name) {
    CLI::App*& group = groups_[name];
    if (group == nullptr) {
      group = root_.add_subcommand(name, std::string(group_summary(name)));
      group->require_subcommand(1);
    }
    return *group;
  }

  CLI::App& root_;
  std::map<std::string, CLI::App*> groups_;
};

Result<Settings> find_settings(const Parsed& parsed) {
  std::string path = parsed.config;
  if (path.empty() && std::getenv("LONGSHORE_CONFIG") != nullptr) {
    path = std::getenv("LONGSHORE_CONFIG");
  }
  Result<FileSettings> file = read_settings_file(path);
  if (!file) return file.error();
  Settings::Sources sources;
  sources.flags = parsed.options;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    sources.environment.emplace_back(*variable);
  }
  sources.file = std::move(*file);
  return Settings::from(std::move(sources));
}

// Replaces values by their spelling in the table, which may differ in letter case.
std::optional<Error> normalize_words(const CliCommand& command, Parsed& parsed) {
  const auto normalize = [](std::string_view name, std::string& value,
                            const std::vector<std::string_view>& words) -> std::optional<Error> {
    Result<std::string> word = known_word(name, value, words);
    if (!word) return word.error();
    value = std::move(*word);
    return std::nullopt;
  };
  for (const Flag& flag : command.flags) {
    if (flag.words.empty() || flag.several || !parsed.flags.contains(flag.name)) continue;
    for (std::string& value : parsed.flags.find(flag.name)->second) {
      if (auto fault = normalize(flag.name, value, flag.words)) return fault;
    }
  }
  for (std::size_t i = 0; i < std::min(command.arguments.size(), parsed.arguments.size()); ++i) {
    const Argument& argument = command.arguments[i];
    if (argument.words.empty()) continue;
    if (auto fault = normalize(argument.name, parsed.arguments[i], argument.words)) return fault;
  }
  return std::nullopt;
}

// The implicit value of a flag that is not followed by one; nothing for any other word.
std::optional<std::string_view> implicit_value(const CliCommand& command, std::string_view word,
                                               std::string_view next) {
  for (const Flag& flag : command.flags) {
    if (flag.name != word || flag.implicit.empty()) continue;
    return parse_duration(next) ? std::nullopt : std::optional(flag.implicit);
  }
  for (const Option* option : options_of(command)) {
    if (option->kind != Option::Kind::boolean || flag_of(*option) != word) continue;
    return value_fault(*option, next) ? std::optional<std::string_view>("true") : std::nullopt;
  }
  return std::nullopt;
}

// Adds implicit values: in "--wait JOB" and "--json JOB", the parser would take the job as the
// value.
std::vector<std::string> with_implicit_values(std::vector<std::string> words) {
  const CliCommand* command = command_of(words);
  for (std::size_t i = 0; command != nullptr && i < words.size() && words[i] != "--"; ++i) {
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (const auto meant = implicit_value(*command, words[i], next)) {
      words[i] += "=" + std::string(*meant);
    }
  }
  return words;
}

ExitCode run(const CliCommand& command, Parsed& parsed) {
  if (auto fault = normalize_words(command, parsed)) return usage_error(fault->message);
  Result<Settings> settings = find_settings(parsed);
  if (!settings) return usage_error(settings.error().message);
  return command.run({.settings = std::move(*settings),
                      .flags = std::move(parsed.flags),
                      .arguments = std::move(parsed.arguments)});
}

}  // namespace

ExitCode print_error(const Error& error) {
  std::cerr << "error: " << error.message << std::endl;
  return exit_code_of(error);
}

ExitCode usage_error(std::string_view message) {
  std::cerr << "error: " << message << std::endl;
  return ExitCode::usage;
}

ExitCode run_command_line(int argc, char** argv) {
  CLI::App root("Longshore, a durable job platform", "longshore");
  root.require_subcommand(1);
  root.set_version_flag("--version", "longshore " + std::string(version));
  std::map<const CLI::App*, const CliCommand*> commands;
  Parsed parsed;
  Apps apps(root);
  for (const CliCommand& command : all_commands()) {
    CLI::App& app = apps.add(command);
    add_all(app, command, parsed);
    commands[&app] = &command;
  }
  // Set after the subcommands are added, which would inherit it.
  root.footer(
      "`longshore COMMAND --help` shows the options of a command. Every option can also\n"
      "be set as an environment variable LONGSHORE_NAME or in longshore.toml.");
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    std::vector<std::string> reversed = with_implicit_values(words);
    std::ranges::reverse(reversed);
    root.parse(std::move(reversed));
  } catch (const CLI::Success& asked) {
    root.exit(asked, std::cout, std::cerr);  // --help, --version
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    const std::string better = advice(words);
    return usage_error((better.empty() ? error.what() : better) +
                       "\nlongshore --help lists the commands");
  }
  for (const auto& [app, command] : commands) {
    if (app->parsed() && app->get_subcommands().empty()) return run(*command, parsed);
  }
  return usage_error("a command is required; longshore --help lists them");
}

}  // namespace longshore
