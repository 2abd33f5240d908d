// Roles by name.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "api/wire/route.h"

namespace longshore {

// Those that a token may have.
inline constexpr std::array token_roles = {Role::producer, Role::worker, Role::viewer,
                                           Role::operator_, Role::admin};

std::string_view to_text(Role role);  // "producer"
// Nothing for `anyone`, which no token has.
std::optional<Role> parse_role(std::string_view text);

}  // namespace longshore
