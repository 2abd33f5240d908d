// POST /leases.
#pragma once

#include "api/wire/route.h"

namespace longshore {

void post_leases(Api& api, CallRef call);

}  // namespace longshore
