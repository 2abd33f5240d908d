// The route of the metrics.
#pragma once

#include "api/resource.h"

namespace longshore {

Resource metrics_resource();

void get_metrics(Api& api, CallRef call);

}  // namespace longshore
