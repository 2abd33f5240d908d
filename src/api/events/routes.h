// The routes that stream events.
#pragma once

#include "api/resource.h"

namespace longshore {

Resource event_resource();

void get_job_events(Api& api, CallRef call);
void get_events(Api& api, CallRef call);

}  // namespace longshore
