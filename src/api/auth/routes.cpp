#include "api/auth/routes.h"

#include "api/wire/route_rows.h"

namespace longshore {
namespace {

std::vector<Route> token_rows() {
  return {
      with_roles(roles::anyone, post_route("/ui/session", post_session, "Start a dashboard session",
                                           "SessionRequest", {200, "Session"})),
      with_roles(roles::anyone, delete_route("/ui/session", delete_session,
                                             "End the dashboard session", {204, ""})),
      with_roles(roles::admins,
                 post_route("/tokens", post_token, "Create a token; it is shown once",
                            "TokenRequest", {201, "NewToken"})),
      with_roles(roles::admins, list_route("/tokens", get_tokens,
                                           "List tokens and when they were last used", "Tokens")),
      delete_route("/tokens", delete_token, "Revoke a token", {200, "Revoked"}, {"tokenId"}),
      delete_route("/tokens/{tokenId}", delete_token, "Revoke a token", {200, "Revoked"}),
  };
}

}  // namespace

Resource token_resource() {
  static const std::vector<Route> rows = token_rows();
  return {.routes = rows, .schemas = token_schemas(), .parameters = token_parameters()};
}

}  // namespace longshore
