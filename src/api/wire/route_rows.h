// Rows of route tables: common roles, and builders for common kinds of route.
#pragma once

#include <string_view>
#include <vector>

#include "api/wire/route.h"

namespace longshore {

using Roles = std::vector<Role>;
using Names = std::vector<std::string_view>;

namespace roles {
inline const Roles anyone = {Role::anyone};
inline const Roles producers = {Role::producer, Role::operator_};
inline const Roles workers = {Role::worker, Role::operator_};
inline const Roles job_readers = {Role::producer, Role::viewer, Role::operator_};
inline const Roles key_readers = {Role::worker, Role::viewer, Role::operator_};
inline const Roles viewers = {Role::viewer, Role::operator_};
inline const Roles operators = {Role::operator_};
inline const Roles admins = {};  // an admin may use every route
}  // namespace roles

// For viewers. `answer` names a schema, or a media type if the answer is not JSON.
Route get_route(std::string_view pattern, Handle handle, std::string_view summary,
                std::string_view answer, Names query = {});
// The same for answers that may be long: an overloaded server refuses these first.
Route list_route(std::string_view pattern, Handle handle, std::string_view summary,
                 std::string_view answer, Names query = {});
// The same for answers with an ETag, which may be 304.
Route cached_route(std::string_view pattern, Handle handle, std::string_view summary,
                   std::string_view answer, Names query = {});
// For operators.
Route post_route(std::string_view pattern, Handle handle, std::string_view summary,
                 std::string_view body, RouteAnswer answer);
// For admins.
Route delete_route(std::string_view pattern, Handle handle, std::string_view summary,
                   RouteAnswer answer, Names query = {});

Route with_roles(Roles allowed, Route route);

}  // namespace longshore
