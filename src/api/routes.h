// The table of all routes. A route that is not in it does not exist.
#pragma once

#include <span>

#include "api/wire/route.h"

namespace longshore {

std::span<const Route> routes();

}  // namespace longshore
