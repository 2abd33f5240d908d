// POST /jobs/{jobId}/cancel.
#pragma once

#include "api/wire/route.h"

namespace longshore {

void post_cancel(Api& api, CallRef call);

}  // namespace longshore
