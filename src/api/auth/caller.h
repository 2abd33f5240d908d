// The caller of a request: its role and its token.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace longshore {

// Who may use a route. `anyone` needs no token.
enum class Role { anyone, producer, worker, viewer, operator_, admin };

// The roles that a token may have.
inline constexpr std::array token_roles = {Role::producer, Role::worker, Role::viewer,
                                           Role::operator_, Role::admin};

std::string_view to_text(Role role);  // "producer"
// Nothing for `anyone`, which no token has.
std::optional<Role> parse_role(std::string_view text);

// Known once the token has been checked.
struct Caller {
  Role role = Role::anyone;
  std::string ns = "default";
  std::string name = "local";  // the token's name
  std::string token;           // its id; empty: the server has no tokens, or the route needs none
};

}  // namespace longshore
