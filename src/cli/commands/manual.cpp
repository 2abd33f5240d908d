// Generates the manual from the table of commands: a man page, or docs/cli.md.
#include <iostream>

#include "cli/command.h"

namespace longshore {
namespace {

// An argument or flag of a command.
struct Entry {
  std::string name;  // "--queue NAME"
  std::string help;
};

std::string with_words(std::string_view help, const std::vector<std::string_view>& words) {
  std::string text(help);
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? ": " : ", ") + std::string(words[i]);
  }
  return text;
}

std::vector<Entry> entries_of(const CliCommand& command) {
  std::vector<Entry> entries;
  for (const Argument& argument : command.arguments) {
    entries.push_back({std::string(argument.name) + (argument.many ? "..." : ""),
                       with_words(argument.help, argument.words)});
  }
  for (const Flag& flag : command.flags) {
    std::string name(flag.name);
    if (flag.kind != Flag::Kind::boolean) {
      name += flag.implicit.empty() ? " " + std::string(flag.value)
                                    : " [" + std::string(flag.value) + "]";
    }
    std::string help = with_words(flag.help, flag.words);
    if (flag.kind == Flag::Kind::many) help += " (may be repeated)";
    entries.push_back({std::move(name), std::move(help)});
  }
  return entries;
}

std::string usage_of(const CliCommand& command) {
  std::string text = "longshore " + std::string(command.name);
  for (const Argument& argument : command.arguments) {
    const std::string name = std::string(argument.name) + (argument.many ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + " [OPTIONS]";
}

std::string options_text(const CliCommand& command) {
  if (command.name == "config") return "every option";
  std::string text;
  for (const Option* option : options_of(command)) {
    text += (text.empty() ? "" : ", ") + flag_of(*option);
  }
  return text;
}

struct Code {
  int number;
  std::string_view meaning;
};
constexpr Code codes[] = {
    {0, "done"},
    {1, "the request was rejected or failed"},
    {2, "the command line or the configuration is wrong"},
    {3, "not found"},
    {4, "conflict: the current state does not allow it"},
    {5, "forbidden: no token, or its role does not permit it"},
    {6, "the awaited job failed"},
    {69, "the server cannot be reached"},
    {70, "internal error, or a corrupt store"},
};

// ---- Markdown

std::string code_span(std::string_view text) { return "`" + std::string(text) + "`"; }

void print_markdown(const CliCommand& command) {
  std::cout << "\n## " << command.name << "\n\n"
            << code_span(usage_of(command)) << ": " << command.summary << ".\n";
  if (!command.detail.empty()) std::cout << "\n" << command.detail << "\n";
  const std::vector<Entry> entries = entries_of(command);
  if (!entries.empty()) std::cout << "\n| argument | meaning |\n|---|---|\n";
  for (const Entry& entry : entries) {
    std::cout << "| " << code_span(entry.name) << " | " << entry.help << " |\n";
  }
  if (const std::string options = options_text(command); !options.empty()) {
    std::cout << "\n[Options](options.md): " << options << ".\n";
  }
  if (command.examples.empty()) return;
  std::cout << "\n```sh\n";
  for (const Example& example : command.examples) {
    std::cout << "# " << example.what << "\n" << example.line << "\n";
  }
  std::cout << "```\n";
}

void print_markdown() {
  std::cout << "# Command line\n\n"
               "<!-- Made by `longshore manual --format markdown`; do not edit. -->\n\n"
               "Every option can also be set as an environment variable `LONGSHORE_NAME` or in\n"
               "`longshore.toml`; see [options.md](options.md). `--json` prints JSON, `--output "
               "jsonl` one\nJSON object per line. Colours are used only on a terminal, and not if "
               "`NO_COLOR` is set.\nProgress is printed on standard error.\n\n"
               "| exit code | meaning |\n|---|---|\n";
  for (const Code& code : codes)
    std::cout << "| " << code.number << " | " << code.meaning << " |\n";
  for (const CliCommand& command : all_commands()) print_markdown(command);
}

// ---- man

// Escapes text: a line that begins with a dot or a quote is a roff request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-' || c == '\\') out += '\\';
    if (c == '\\') {
      out += 'e';
    } else {
      out += c;
    }
  }
  return out;
}

void print_man(const CliCommand& command) {
  std::cout << ".SS \"" << roff(usage_of(command)) << "\"\n" << roff(command.summary) << ".\n";
  if (!command.detail.empty()) std::cout << ".PP\n" << roff(command.detail) << "\n";
  for (const Entry& entry : entries_of(command)) {
    std::cout << ".TP\n.B \"" << roff(entry.name) << "\"\n" << roff(entry.help) << "\n";
  }
  if (const std::string options = options_text(command); !options.empty()) {
    std::cout << ".PP\nOptions: " << roff(options) << "\n";
  }
  for (const Example& example : command.examples) {
    std::cout << ".PP\n"
              << roff(example.what) << ":\n.PP\n.in +4n\n.nf\n"
              << roff(example.line) << "\n.fi\n.in\n";
  }
}

void print_man() {
  // Left-aligned: a line with a long default cannot be justified.
  std::cout << ".TH LONGSHORE 1 \"\" \"Longshore " LONGSHORE_VERSION
               "\" \"User Commands\"\n.ad l\n"
               ".SH NAME\nlongshore \\- a durable job platform\n"
               ".SH SYNOPSIS\n.B longshore\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
               ".SH DESCRIPTION\nLongshore stores jobs durably, leases them to workers, and "
               "schedules, retries and monitors them until they end.\n.SH COMMANDS\n";
  for (const CliCommand& command : all_commands()) print_man(command);
  std::cout << ".SH OPTIONS\nEvery option can also be set as an environment variable "
               "LONGSHORE_NAME or in longshore.toml. Flags override the environment, which "
               "overrides the file.\n";
  for (const Option& option : all_options()) {
    std::cout << ".TP\n.B \"" << roff(flag_of(option)) << "\"\n"
              << roff(with_words(option.help, option.words));
    if (!option.fallback.empty()) std::cout << " [" << roff(option.fallback) << "]";
    std::cout << "\n";
  }
  std::cout << ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set, print no colours\n"
               ".TP\n.B LONGSHORE_CONFIG\nconfiguration file, instead of longshore.toml\n"
               ".SH EXIT STATUS\n";
  for (const Code& code : codes) {
    std::cout << ".TP\n.B " << code.number << "\n" << roff(code.meaning) << "\n";
  }
}

}  // namespace

ExitCode run_manual(const Invocation& invocation) {
  if (invocation.flag("--format").value_or("man") == "markdown") {
    print_markdown();
  } else {
    print_man();
  }
  return ExitCode::done;
}

}  // namespace longshore
