// What a worker says about one job that it holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/wire/fields.h"
#include "api/wire/route.h"
#include "longshore/job.h"

namespace longshore {

void post_heartbeat(Api& api, CallRef call);
void post_complete(Api& api, CallRef call);
void post_fail(Api& api, CallRef call);
void post_release(Api& api, CallRef call);
void post_handoff(Api& api, CallRef call);

// The required leaseToken. One that nobody was ever given is a token too: the store knows that it
// holds nothing, after it has looked for the job.
LeaseToken read_lease_token(Fields& fields);

inline constexpr SecondsRange retry_after_range = {0, 2'592'000,
                                                   "must be from 0 to 2592000 seconds, 30 days"};

}  // namespace longshore
