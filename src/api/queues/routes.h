// The routes of queues and of the statistics that are kept by queue.
#pragma once

#include "api/resource.h"

namespace longshore {

Resource queue_resource();
std::span<const Schema> queue_schemas();
std::span<const Schema> queue_parameters();

void get_queues(Api& api, CallRef call);
void post_pause(Api& api, CallRef call);
void post_resume(Api& api, CallRef call);
void get_stats(Api& api, CallRef call);

}  // namespace longshore
