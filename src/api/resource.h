// A resource of the API, such as jobs or queues. Its folder holds its routes, handlers, request
// bodies and schemas; a route is added there and nowhere else.
#pragma once

#include <span>

#include "api/openapi/schema.h"
#include "api/wire/route.h"

namespace longshore {

struct Resource {
  std::span<const Route> routes;
  std::span<const Schema> schemas = {};
  std::span<const Schema> parameters = {};  // of queries, by the names that routes use
};

}  // namespace longshore
