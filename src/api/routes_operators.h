// The part of the table of routes that operators use, and what a server says about itself.
#pragma once

#include <vector>

#include "api/wire/route.h"

namespace longshore {

std::vector<Route> operators_routes();
std::vector<Route> server_routes();

}  // namespace longshore
