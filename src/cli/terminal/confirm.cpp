#include "cli/terminal/confirm.h"

#include <iostream>

#include "cli/terminal/terminal.h"

namespace longshore {

Result<bool> confirm(const Invocation& invocation, const std::string& question) {
  if (invocation.has("--yes")) return true;
  if (!can_ask()) {
    return Error{Errc::refused, question +
                                    " There is nobody to ask: give --yes to go on, or "
                                    "--dry-run to look only"};
  }
  std::cerr << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
}

std::vector<Flag> with_confirm_flags(std::vector<Flag> others) {
  others.push_back({"--yes", "do not ask", Flag::Kind::boolean});
  others.push_back({"--dry-run", "only tell what would be done", Flag::Kind::boolean});
  return others;
}

}  // namespace longshore
