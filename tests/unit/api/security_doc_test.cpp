// The table in docs/security.md equals the table of routes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "api/api.h"
#include "api/auth/caller.h"
#include "api/routes.h"

namespace longshore {
namespace {

std::string row_of(const Route& route) {
  std::string row = "| " + std::string(route.method) + " | `" + std::string(route.pattern) + "` |";
  const bool open = std::ranges::find(route.roles, Role::anyone) != route.roles.end();
  for (const Role role : token_roles) row += open ? " open |" : may(role, route) ? " x |" : " |";
  return row;
}

TEST(SecurityDocument, ListsEveryRouteWithItsRoles) {
  std::ifstream file("docs/security.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string expected;
  for (const Route& route : routes()) expected += row_of(route) + "\n";
  EXPECT_TRUE(text.str().contains("|---|---|---|---|---|---|---|\n" + expected + "\n"))
      << "write this table into docs/security.md:\n"
      << expected;
}

}  // namespace
}  // namespace longshore
