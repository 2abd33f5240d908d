// GET /openapi.json: the OpenAPI 3.1 document, generated from the table of routes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/resource.h"

namespace longshore {

// The document of these routes. Aborts if a route names an undefined schema.
std::string openapi_document(std::span<const Route> routes);

Resource document_resource();

void get_openapi(Api& api, CallRef call);

}  // namespace longshore
