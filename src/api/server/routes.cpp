#include "api/server/routes.h"

#include "api/wire/route_rows.h"

namespace longshore {
namespace {

Route check_route() {
  Route route = post_route("/check", post_check, "Check the store's invariants", "EmptyRequest",
                           {200, "Check"});
  route.answers.push_back({202, "CheckUnderWay"});
  route.query = {"checkWait"};
  return route;
}

std::vector<Route> server_rows() {
  return {
      with_roles(roles::anyone,
                 get_route("/livez", get_livez, "Whether the process is alive", "Alive")),
      with_roles(roles::anyone,
                 get_route("/readyz", get_readyz,
                           "Whether the node is ready, and how durable its store is", "Ready")),
      get_route("/about", get_about, "Get the caller, the store and the configuration", "About"),
      post_route("/apply", post_apply, "Apply declared rules to the store", "ApplyRequest",
                 {200, "ApplyAnswer"}),
      with_roles(roles::operators,
                 list_route("/audit", get_audit, "List the actions of operators, newest first",
                            "AuditTrail", {"limit", "cursor"})),
      get_route("/check", get_check,
                "Get the last check report and the progress of a running check", "Checks"),
      check_route(),
      with_roles(roles::anyone, get_route("/ui", get_ui, "Redirect to the dashboard", "")),
      with_roles(roles::anyone, get_route("/ui/", get_ui, "The dashboard", "text/html")),
      with_roles(roles::anyone, get_route("/ui/{file...}", get_ui, "A file of the dashboard", "")),
  };
}

}  // namespace

Resource server_resource() {
  static const std::vector<Route> rows = server_rows();
  return {.routes = rows, .schemas = server_schemas(), .parameters = server_parameters()};
}

}  // namespace longshore
