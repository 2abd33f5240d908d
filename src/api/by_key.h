// The reply of an outside process that knows a job by its type and key.
#pragma once

#include "api/route.h"

namespace longshore {

void post_complete_by_key(Api& api, CallRef call);
void post_fail_by_key(Api& api, CallRef call);

}  // namespace longshore
