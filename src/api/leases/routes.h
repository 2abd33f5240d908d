// The routes of leases, which workers use, and of the workers themselves.
#pragma once

#include "api/resource.h"

namespace longshore {

Resource lease_resource();
std::span<const Schema> lease_schemas();

// leases.cpp
void post_leases(Api& api, CallRef call);

// settle.cpp
void post_heartbeat(Api& api, CallRef call);
void post_complete(Api& api, CallRef call);
void post_fail(Api& api, CallRef call);
void post_release(Api& api, CallRef call);
void post_handoff(Api& api, CallRef call);

// settle_batch.cpp
void post_settle(Api& api, CallRef call);

// workers.cpp
void get_workers(Api& api, CallRef call);

}  // namespace longshore
