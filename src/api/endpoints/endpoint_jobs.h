// The users' own endpoints: what comes there becomes a job, and the client gets its address.
#pragma once

#include <vector>

#include "api/endpoints/endpoint.h"
#include "api/wire/route.h"

namespace longshore {

// The API's routes, and one for each endpoint. The endpoints must outlive them.
std::vector<Route> routes_with(const std::vector<Endpoint>& endpoints);

// REQUIRES: the route is an endpoint's.
void post_to_endpoint(Api& api, CallRef call);

}  // namespace longshore
