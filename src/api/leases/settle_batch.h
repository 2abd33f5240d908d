// POST /leases/settle: outcomes of many jobs, each judged on its own.
#pragma once

#include "api/wire/route.h"

namespace longshore {

void post_settle(Api& api, CallRef call);

}  // namespace longshore
