// Every route of the API, and every schema its document defines: the tables of all resources.
#pragma once

#include <span>

#include "api/openapi/schema.h"
#include "api/wire/route.h"

namespace longshore {

std::span<const Route> routes();
std::span<const Schema> schemas();
std::span<const Schema> query_parameters();

}  // namespace longshore
