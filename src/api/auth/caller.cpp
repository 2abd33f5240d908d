#include "api/auth/caller.h"

namespace longshore {

std::string_view to_text(Role role) {
  constexpr std::array<std::string_view, 6> words = {"anyone", "producer", "worker",
                                                     "viewer", "operator", "admin"};
  return words[static_cast<std::size_t>(role)];
}

std::optional<Role> parse_role(std::string_view text) {
  for (const Role role : token_roles) {
    if (to_text(role) == text) return role;
  }
  return std::nullopt;
}

}  // namespace longshore
