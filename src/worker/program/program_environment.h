// Which variables a program finds in its environment: those on a list, and no others. What the
// worker was started with may hold passwords.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace longshore {

// Handed on to every program: PATH, HOME, LANG, LANGUAGE, TZ, TMPDIR and LC_*.
bool is_handed_on(std::string_view name);

// Why a handler may not declare or pass a variable of this name, as the end of a sentence; empty if
// it may. Names that begin with LONGSHORE_ are ours.
std::string variable_name_fault(std::string_view name);

// By name: of this process's environment what every program gets and what `passed` names, and
// `declared`, which wins.
std::map<std::string, std::string> program_environment(
    const std::vector<std::string>& passed, const std::map<std::string, std::string>& declared);

}  // namespace longshore
