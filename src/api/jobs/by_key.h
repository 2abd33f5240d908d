// The reply of an outside process that knows a job by its type and key.
#pragma once

#include "api/wire/route.h"
#include "longshore/id.h"

namespace longshore {

void post_complete_by_key(Api& api, CallRef call);
void post_fail_by_key(Api& api, CallRef call);

// A caller that names its reply, by the header Idempotency-Key, may send it again; others are told
// apart by chance.
RequestId reply_id_of(Api& api, const Call& call);

}  // namespace longshore
