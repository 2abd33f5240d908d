#include "cli/terminal/confirm.h"

#include <iostream>

#include "cli/terminal/terminal.h"

namespace longshore {

Result<bool> confirm(const Invocation& invocation, const std::string& question) {
  if (invocation.has("--yes")) return true;
  if (!can_prompt()) {
    return Error{Errc::refused, question +
                                    " Standard input is not a terminal: use --yes to "
                                    "confirm, or --dry-run"};
  }
  std::cerr << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
}

std::vector<Flag> with_confirm_flags(std::vector<Flag> others) {
  others.push_back({"--yes", "do not ask for confirmation", Flag::Kind::boolean});
  others.push_back({"--dry-run", "show what would be done without doing it", Flag::Kind::boolean});
  return others;
}

}  // namespace longshore
