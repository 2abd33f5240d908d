#include "api/errors/routes.h"

#include "api/api.h"
#include "api/errors/error_pages.h"
#include "api/wire/calls.h"
#include "api/wire/query.h"
#include "api/wire/route_rows.h"

namespace longshore {

Resource error_resource() {
  static const std::vector<Route> rows = {
      list_route("/errors", get_errors, "List failures, grouped by the pattern of their messages",
                 "ErrorGroups", {"limit", "cursor"}),
  };
  return {.routes = rows, .schemas = error_group_schemas()};
}

void get_errors(Api& api, CallRef call) {
  Query query(*call);
  const int limit = read_page_limit(query);
  const std::optional<GroupCursor> after = read_page_cursor(query, parse_group_cursor);
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  api.read(call, ReadKind::scan, [&api, call, limit, after](Catalog& catalog) {
    const Result<ErrorPage> page = error_page(catalog, call->caller.ns, limit, after);
    if (!page) return api.answer(call, api.problem_of(page.error()));
    api.answer(call, json_response(error_page_json(*page)));
  });
}

}  // namespace longshore
