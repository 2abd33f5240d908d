#include "worker/program/program_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace longshore {
namespace {

constexpr std::array<std::string_view, 6> handed_on = {"PATH",     "HOME", "LANG",
                                                       "LANGUAGE", "TZ",   "TMPDIR"};

}  // namespace

bool is_inherited(std::string_view name) {
  return name.starts_with("LC_") || std::ranges::find(handed_on, name) != handed_on.end();
}

std::string variable_name_fault(std::string_view name) {
  if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string_view::npos) {
    return "is not a valid variable name";
  }
  if (name.starts_with("LONGSHORE_")) return "is reserved: programs get no LONGSHORE_ options";
  return "";
}

std::map<std::string, std::string> program_environment(
    const std::vector<std::string>& passed, const std::map<std::string, std::string>& declared) {
  std::map<std::string, std::string> variables = declared;
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    if (is_inherited(name) || std::ranges::find(passed, name) != passed.end()) {
      variables.emplace(name, text.substr(equals + 1));
    }
  }
  return variables;
}

}  // namespace longshore
