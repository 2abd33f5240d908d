#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <set>

#include "cli/command.h"
#include "server/near_miss.h"

namespace longshore {
namespace {

constexpr std::string_view version = LONGSHORE_VERSION;

// Where the parser writes what it finds. Everything lives until the command has run.
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

std::string help_of(const Option& option) {
  std::string help(option.help);
  for (std::size_t i = 0; i < option.words.size(); ++i) {
    help += (i == 0 ? ": " : ", ") + std::string(option.words[i]);
  }
  if (!option.fallback.empty()) help += " [" + std::string(option.fallback) + "]";
  return help;
}

void add_option(CLI::App& app, const Option& option, Parsed& parsed) {
  const bool boolean = option.kind == Option::Kind::boolean;
  CLI::Option* added = app.add_option_function<std::vector<std::string>>(
      flag_of(option),
      [&parsed, &option](const std::vector<std::string>& values) {
        auto& all = parsed.options[&option];
        for (const std::string& value : values) all.push_back(value.empty() ? "true" : value);
      },
      help_of(option));
  added->type_name(boolean ? "" : std::string(value_name(option)));
  if (boolean) {
    added->expected(0, 1);
  } else {
    added->expected(1)->allow_extra_args(false);
  }
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
      std::string(flag.help));
  added->type_name(std::string(flag.value))->expected(1)->allow_extra_args(false);
  added->multi_option_policy(flag.kind == Flag::Kind::many ? CLI::MultiOptionPolicy::TakeAll
                                                           : CLI::MultiOptionPolicy::TakeLast);
}

void add_all(CLI::App& app, const CliCommand& command, Parsed& parsed) {
  app.add_option("--config", parsed.config, "the configuration, TOML [longshore.toml]")
      ->type_name("FILE");
  std::vector<std::string_view> names = command.options;
  if (command.name == "config") {
    names.clear();
    for (const Option& option : all_options()) names.push_back(option.name);
  }
  for (const std::string_view name : names) add_option(app, *find_option(name), parsed);
  for (const Flag& flag : command.flags) add_flag(app, flag, parsed);
  for (const Argument& argument : command.arguments) {
    app.add_option_function<std::string>(
           std::string(argument.name),
           [&parsed](const std::string& value) { parsed.arguments.push_back(value); },
           std::string(argument.help))
        ->type_name("")
        ->required(argument.required);
  }
}

// "token create" is the command create of the command token.
class Apps {
 public:
  explicit Apps(CLI::App& root) : root_(root) {}

  CLI::App& add(const CliCommand& command) {
    const std::size_t space = command.name.find(' ');
    const std::string summary(command.summary);
    if (space == std::string_view::npos) {
      return *root_.add_subcommand(std::string(command.name), summary);
    }
    const std::string word(command.name.substr(space + 1));
    return *group(std::string(command.name.substr(0, space))).add_subcommand(word, summary);
  }

 private:
  CLI::App& group(const std::string& name) {
    CLI::App*& group = groups_[name];
    if (group == nullptr) {
      group = root_.add_subcommand(name, "make, show and end " + name + "s");
      group->require_subcommand(1);
    }
    return *group;
  }

  CLI::App& root_;
  std::map<std::string, CLI::App*> groups_;
};

// The same for the second word of "token create".
std::string advice_within(const std::vector<std::string>& words) {
  std::vector<std::string_view> known;
  for (const CliCommand& command : all_commands()) {
    if (command.name.starts_with(words.front() + " ")) {
      known.push_back(command.name.substr(words.front().size() + 1));
    }
  }
  if (known.empty()) return "";
  if (words.size() > 1 && std::ranges::find(known, words[1]) != known.end()) return "";
  std::string all;
  for (const std::string_view word : known) all += (all.empty() ? "" : ", ") + std::string(word);
  return words.front() + " takes one of " + all +
         (words.size() > 1 ? did_you_mean(words[1], known) : "");
}

// What was most likely meant, for a word that is no command or no flag of the one it follows.
std::string advice(const std::vector<std::string>& words) {
  std::set<std::string> first;
  for (const CliCommand& command : all_commands()) {
    first.emplace(command.name.substr(0, command.name.find(' ')));
  }
  if (words.empty()) return "";
  if (!first.contains(words.front()) && !words.front().starts_with("-")) {
    const std::vector<std::string_view> known(first.begin(), first.end());
    return "there is no command \"" + words.front() + "\"" + did_you_mean(words.front(), known);
  }
  if (const std::string better = advice_within(words); !better.empty()) return better;
  for (const CliCommand& command : all_commands()) {
    const bool two = words.size() > 1 && command.name == words[0] + " " + words[1];
    if (command.name != words[0] && !two) continue;
    std::vector<std::string> flags = {"--config", "--help"};
    for (const Flag& flag : command.flags) flags.emplace_back(flag.name);
    for (const std::string_view name : command.options)
      flags.push_back(flag_of(*find_option(name)));
    const std::vector<std::string_view> known(flags.begin(), flags.end());
    for (const std::string& word : words) {
      const std::string flag = word.substr(0, word.find('='));
      if (!flag.starts_with("--") || std::ranges::find(flags, flag) != flags.end()) continue;
      return std::string(command.name) + " has no flag " + flag + did_you_mean(flag, known);
    }
  }
  return "";
}

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

ExitCode run(const CliCommand& command, Parsed& parsed) {
  Result<Settings> settings = find_settings(parsed);
  if (!settings) return complain_usage(settings.error().message);
  return command.run({.settings = std::move(*settings),
                      .flags = std::move(parsed.flags),
                      .arguments = std::move(parsed.arguments)});
}

}  // namespace

ExitCode complain(const Error& error) {
  std::cerr << "error: " << error.message << std::endl;
  return exit_code_of(error);
}

ExitCode complain_usage(std::string_view message) {
  std::cerr << "error: " << message << std::endl;
  return ExitCode::usage;
}

ExitCode run_command_line(int argc, char** argv) {
  CLI::App root("Longshore, a durable job platform", "longshore");
  root.require_subcommand(1);
  root.set_version_flag("--version", "longshore " + std::string(version));
  root.footer(
      "`longshore COMMAND --help` tells what a command takes. Every option also is a\n"
      "variable LONGSHORE_NAME and a key in longshore.toml.");
  std::map<const CLI::App*, const CliCommand*> commands;
  Parsed parsed;
  Apps apps(root);
  for (const CliCommand& command : all_commands()) {
    CLI::App& app = apps.add(command);
    add_all(app, command, parsed);
    commands[&app] = &command;
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    root.exit(asked, std::cout, std::cerr);  // --help, --version
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    const std::string better = advice({argv + 1, argv + argc});
    return complain_usage((better.empty() ? error.what() : better) +
                          "\nlongshore --help lists the commands");
  }
  for (const auto& [app, command] : commands) {
    if (app->parsed()) return run(*command, parsed);
  }
  return complain_usage("no command was given");
}

}  // namespace longshore
