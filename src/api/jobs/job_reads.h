// GET /jobs/{jobId}, its result, and the job of a key: at once, or as soon as the job has ended.
#pragma once

#include "api/wire/route.h"

namespace longshore {

void get_job(Api& api, CallRef call);
void get_result(Api& api, CallRef call);
void get_job_by_key(Api& api, CallRef call);

}  // namespace longshore
