#include "api/server/routes.h"

#include "api/wire/route_rows.h"

namespace longshore {
namespace {

Route check_route() {
  Route route = post_route("/check", post_check, "Prove that the store agrees with itself",
                           "EmptyRequest", {200, "Check"});
  route.answers.push_back({202, "CheckUnderWay"});
  route.query = {"checkWait"};
  return route;
}

std::vector<Route> server_rows() {
  return {
      with_roles(roles::anyone,
                 get_route("/livez", get_livez, "Whether the process is alive", "Alive")),
      with_roles(roles::anyone, get_route("/readyz", get_readyz,
                                          "Whether it can serve, and how durably", "Ready")),
      get_route("/about", get_about, "Who asks, what the server runs on, how it is set up",
                "About"),
      post_route("/apply", post_apply, "Apply a declared configuration: rules of the store",
                 "ApplyRequest", {200, "ApplyAnswer"}),
      with_roles(roles::operators,
                 list_route("/audit", get_audit, "What operators did, newest first", "AuditTrail",
                            {"limit", "cursor"})),
      get_route("/check", get_check, "The last report on the store, and the check under way",
                "Checks"),
      check_route(),
      with_roles(roles::anyone, get_route("/ui", get_ui, "To the dashboard", "")),
      with_roles(roles::anyone, get_route("/ui/", get_ui, "The dashboard", "text/html")),
      with_roles(roles::anyone,
                 get_route("/ui/{file...}", get_ui, "What the dashboard is made of", "")),
  };
}

}  // namespace

Resource server_resource() {
  static const std::vector<Route> rows = server_rows();
  return {.routes = rows, .schemas = server_schemas(), .parameters = server_parameters()};
}

}  // namespace longshore
