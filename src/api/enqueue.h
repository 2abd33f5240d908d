// POST /jobs and POST /jobs/batch.
#pragma once

#include "api/route.h"

namespace longshore {

void post_job(Api& api, CallRef call);
void post_batch(Api& api, CallRef call);

}  // namespace longshore
