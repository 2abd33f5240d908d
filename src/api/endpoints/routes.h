// The routes of the configured endpoints: a request to one becomes a job.
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
