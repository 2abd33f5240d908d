// The environment of a program: only the listed variables, since the worker's environment may hold
// passwords.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace longshore {

// Inherited by every program: PATH, HOME, LANG, LANGUAGE, TZ, TMPDIR and LC_*.
bool is_inherited(std::string_view name);

// Why a handler may not declare or inherit a variable of this name, as the end of a sentence; empty
// if it may. Names that begin with LONGSHORE_ are reserved.
std::string variable_name_fault(std::string_view name);

// By name: the variables of this process that every program inherits or that `passed` names, and
// those in `declared`, which take precedence.
std::map<std::string, std::string> program_environment(
    const std::vector<std::string>& passed, const std::map<std::string, std::string>& declared);

}  // namespace longshore
