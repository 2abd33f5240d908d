// GET /openapi.json: the API as OpenAPI 3.1 describes it, made from the table of routes, so that
// every route is in it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/resource.h"

namespace longshore {

// The document of these routes. A schema that a route names and nobody wrote is a bug and aborts.
std::string openapi_document(std::span<const Route> routes);

Resource document_resource();

void get_openapi(Api& api, CallRef call);

}  // namespace longshore
