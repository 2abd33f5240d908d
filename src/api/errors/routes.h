// The route of error groups: failures of one type whose messages have one pattern.
#pragma once

#include "api/resource.h"

namespace longshore {

Resource error_resource();
std::span<const Schema> error_group_schemas();

void get_errors(Api& api, CallRef call);

}  // namespace longshore
