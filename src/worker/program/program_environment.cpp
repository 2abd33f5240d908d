#include "worker/program/program_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace longshore {
namespace {

constexpr std::array<std::string_view, 6> handed_on = {"PATH",     "HOME", "LANG",
                                                       "LANGUAGE", "TZ",   "TMPDIR"};

}  // namespace

bool is_handed_on(std::string_view name) {
  return name.starts_with("LC_") || std::ranges::find(handed_on, name) != handed_on.end();
}

std::string variable_name_fault(std::string_view name) {
  if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string_view::npos) {
    return "is no name of a variable";
  }
  if (name.starts_with("LONGSHORE_"))
    return "is Longshore's own: programs get no LONGSHORE_ options";
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
    if (is_handed_on(name) || std::ranges::find(passed, name) != passed.end()) {
      variables.emplace(name, text.substr(equals + 1));
    }
  }
  return variables;
}

}  // namespace longshore
