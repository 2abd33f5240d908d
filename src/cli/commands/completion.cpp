// Completion scripts for bash, zsh and fish.
#include <iostream>
#include <map>
#include <set>

#include "cli/command.h"

namespace longshore {
namespace {

// A flag that can be completed.
struct Choice {
  std::string flag;
  std::string help;
  bool takes_value = true;
  std::vector<std::string_view> words;
  bool takes_file = false;
};

std::vector<Choice> choices_of(const CliCommand& command) {
  std::vector<Choice> choices = {{"--help", "print help and exit", false, {}, false},
                                 {"--config", "configuration file, TOML", true, {}, true}};
  for (const Option* option : options_of(command)) {
    choices.push_back(
        {flag_of(*option), std::string(option->help), option->kind != Option::Kind::boolean,
         option->words,
         option->name == "ca-cert" || option->name == "tls-cert" || option->name == "tls-key"});
  }
  for (const Flag& flag : command.flags) {
    choices.push_back({std::string(flag.name), std::string(flag.help),
                       flag.kind != Flag::Kind::boolean, flag.words, flag.value == "FILE"});
  }
  return choices;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

// Subcommands by group: "" contains the top-level commands, "token" those of token.
std::map<std::string, std::map<std::string, std::string>> tree() {
  std::map<std::string, std::map<std::string, std::string>> nodes;
  for (const CliCommand& command : all_commands()) {
    const std::string name(command.name);
    const std::size_t space = name.find(' ');
    if (space == std::string::npos) {
      nodes[""][name] = command.summary;
      continue;
    }
    const std::string group = name.substr(0, space);
    nodes[""].emplace(group, group_summary(group));
    nodes[group][name.substr(space + 1)] = command.summary;
  }
  return nodes;
}

// In single quotes, valid in all three shells.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string names_of(const std::map<std::string, std::string>& named) {
  std::string text;
  for (const auto& [name, help] : named) text += (text.empty() ? "" : " ") + name;
  return text;
}

// ---- bash

std::string bash_case(const CliCommand& command, const std::string& subcommands) {
  std::string flags = subcommands;
  std::string values;
  for (const Choice& choice : choices_of(command)) {
    flags += (flags.empty() ? "" : " ") + choice.flag;
    const std::string words = joined(choice.words);
    if (!words.empty()) {
      values += "      " + choice.flag + ") words=" + quoted(words) + " ;;\n";
    } else if (choice.takes_file) {
      values += "      " + choice.flag + ") files=yes ;;\n";
    } else if (choice.takes_value) {
      values += "      " + choice.flag + ") words=' ' ;;\n";
    }
  }
  for (const Argument& argument : command.arguments) {
    if (!argument.words.empty()) flags += " " + joined(argument.words);
  }
  return "  " + quoted(command.name) + ")\n    flags=" + quoted(flags) +
         "\n    case \"$previous\" in\n" + values + "    esac ;;\n";
}

void print_bash() {
  const auto nodes = tree();
  std::cout << "# bash completion for longshore\n"
               "_longshore() {\n"
               "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
               "  local command=${COMP_WORDS[1]} flags= words= files=\n"
               "  COMPREPLY=()\n"
               "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
               "    COMPREPLY=($(compgen -W "
            << quoted(names_of(nodes.at("")) + " --help --version")
            << " -- \"$current\"))\n    return\n  fi\n"
               "  case \"$command\" in\n";
  for (const auto& [group, commands] : nodes) {
    if (group.empty()) continue;
    std::cout << "  " << group << ")\n    case \" " << names_of(commands)
              << " \" in *\" ${COMP_WORDS[2]} \"*) [ \"$COMP_CWORD\" -gt 2 ] && command+=\" "
                 "${COMP_WORDS[2]}\" ;; esac ;;\n";
  }
  std::cout << "  esac\n  case \"$command\" in\n";
  std::set<std::string, std::less<>> alone;
  for (const CliCommand& command : all_commands()) {
    const auto node = nodes.find(std::string(command.name));
    std::cout << bash_case(command, node == nodes.end() ? "" : names_of(node->second));
    alone.emplace(command.name);
  }
  for (const auto& [group, commands] : nodes) {
    if (group.empty() || alone.contains(group)) continue;
    std::cout << "  " << group << ") flags=" << quoted(names_of(commands) + " --help") << " ;;\n";
  }
  std::cout << "  esac\n"
               "  if [ -n \"$files\" ]; then\n"
               "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
               "  else\n"
               "    COMPREPLY=($(compgen -W \"${words:-$flags}\" -- \"$current\"))\n"
               "  fi\n"
               "}\n"
               "complete -o default -F _longshore longshore\n";
}

// ---- zsh

std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void print_zsh_arguments(const CliCommand& command) {
  std::cout << "    _arguments";
  for (const Choice& choice : choices_of(command)) {
    std::string text = choice.flag + "[" + zsh_text(choice.help) + "]";
    if (!choice.words.empty()) {
      text += ":value:(" + joined(choice.words) + ")";
    } else if (choice.takes_file) {
      text += ":file:_files";
    } else if (choice.takes_value) {
      text += ":value: ";
    }
    std::cout << " \\\n      " << quoted("*" + text);
  }
  for (const Argument& argument : command.arguments) {
    const std::string words = joined(argument.words);
    std::cout << " \\\n      "
              << quoted((argument.many ? "*:" : ":") + zsh_text(argument.name) + ":" +
                        (words.empty() ? " " : "(" + words + ")"));
  }
  std::cout << "\n";
}

void print_zsh_list(const std::map<std::string, std::string>& commands, const char* indent) {
  std::cout << indent << "local -a commands=(\n";
  for (const auto& [name, help] : commands) {
    std::cout << indent << "  " << quoted(name + ":" + zsh_text(help)) << "\n";
  }
  std::cout << indent << ")\n" << indent << "_describe 'command' commands\n";
}

void print_zsh() {
  const auto nodes = tree();
  std::cout << "#compdef longshore\n"
               "_longshore() {\n"
               "  if (( CURRENT == 2 )); then\n";
  print_zsh_list(nodes.at(""), "    ");
  std::cout << "    return\n  fi\n  local command=$words[2]\n";
  for (const auto& [group, commands] : nodes) {
    if (group.empty()) continue;
    std::cout << "  if [[ $command == " << group << " ]]; then\n"
              << "    if (( CURRENT == 3 )); then\n";
    print_zsh_list(commands, "      ");
    std::cout
        << "    elif [[ \" " << names_of(commands) << " \" == *\" $words[3] \"* ]]; then\n"
        << "      command+=\" $words[3]\"\n      shift words; (( CURRENT-- ))\n    fi\n  fi\n";
  }
  std::cout << "  shift words; (( CURRENT-- ))\n  case $command in\n";
  for (const CliCommand& command : all_commands()) {
    std::cout << "  " << quoted(command.name) << ")\n";
    print_zsh_arguments(command);
    std::cout << "    ;;\n";
  }
  std::cout << "  esac\n}\n"
               "if [[ $funcstack[1] == _longshore ]]; then _longshore \"$@\"; else compdef "
               "_longshore longshore; fi\n";
}

// ---- fish

void print_fish() {
  const auto nodes = tree();
  std::cout << "# fish completion for longshore\ncomplete -c longshore -f\n";
  for (const auto& [group, commands] : nodes) {
    for (const auto& [name, help] : commands) {
      const std::string when = group.empty() ? "__fish_use_subcommand"
                                             : "__fish_seen_subcommand_from " + group +
                                                   "; and not __fish_seen_subcommand_from " +
                                                   names_of(commands);
      std::cout << "complete -c longshore -n " << quoted(when) << " -a " << name << " -d "
                << quoted(help) << "\n";
    }
  }
  for (const CliCommand& command : all_commands()) {
    const std::string name(command.name);
    const std::size_t space = name.find(' ');
    const std::string when = space == std::string::npos
                                 ? "__fish_seen_subcommand_from " + name
                                 : "__fish_seen_subcommand_from " + name.substr(0, space) +
                                       "; and __fish_seen_subcommand_from " +
                                       name.substr(space + 1);
    for (const Choice& choice : choices_of(command)) {
      std::cout << "complete -c longshore -n " << quoted(when) << " -l " << choice.flag.substr(2)
                << (choice.takes_value ? choice.takes_file ? " -r -F" : " -x" : "");
      if (!choice.words.empty()) std::cout << " -a " << quoted(joined(choice.words));
      std::cout << " -d " << quoted(choice.help) << "\n";
    }
    for (const Argument& argument : command.arguments) {
      if (argument.words.empty()) continue;
      std::cout << "complete -c longshore -n " << quoted(when) << " -a "
                << quoted(joined(argument.words)) << "\n";
    }
  }
}

}  // namespace

ExitCode run_completion(const Invocation& invocation) {
  const std::string& shell = invocation.arguments.front();
  if (shell == "bash") print_bash();
  if (shell == "zsh") print_zsh();
  if (shell == "fish") print_fish();
  return ExitCode::done;
}

}  // namespace longshore
