#include "api/wire/route_rows.h"

#include <utility>

namespace longshore {
namespace {

RouteAnswer ok(std::string_view answer) {
  if (answer.contains('/')) return {.status = 200, .schema = {}, .media = answer};
  return {.status = 200, .schema = answer};
}

}  // namespace

Route get_route(std::string_view pattern, Handle handle, std::string_view summary,
                std::string_view answer, Names query) {
  return {.method = "GET",
          .pattern = pattern,
          .roles = roles::viewers,
          .handle = handle,
          .summary = summary,
          .answers = {ok(answer)},
          .query = std::move(query)};
}

Route list_route(std::string_view pattern, Handle handle, std::string_view summary,
                 std::string_view answer, Names query) {
  Route route = get_route(pattern, handle, summary, answer, std::move(query));
  route.load = Load::listing;
  return route;
}

Route cached_route(std::string_view pattern, Handle handle, std::string_view summary,
                   std::string_view answer, Names query) {
  Route route = get_route(pattern, handle, summary, answer, std::move(query));
  route.answers.push_back({304, ""});
  return route;
}

Route post_route(std::string_view pattern, Handle handle, std::string_view summary,
                 std::string_view body, RouteAnswer answer) {
  return {.method = "POST",
          .pattern = pattern,
          .roles = roles::operators,
          .handle = handle,
          .summary = summary,
          .body = body,
          .answers = {answer},
          .query = {}};
}

Route delete_route(std::string_view pattern, Handle handle, std::string_view summary,
                   RouteAnswer answer, Names query) {
  return {.method = "DELETE",
          .pattern = pattern,
          .roles = roles::admins,
          .handle = handle,
          .summary = summary,
          .answers = {answer},
          .query = std::move(query)};
}

Route with_roles(Roles allowed, Route route) {
  route.roles = std::move(allowed);
  return route;
}

}  // namespace longshore
