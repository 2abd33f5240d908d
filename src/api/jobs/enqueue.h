// POST /jobs and POST /jobs/batch.
#pragma once

#include "api/wire/route.h"
#include "longshore/command.h"

namespace longshore {

void post_job(Api& api, CallRef call);
void post_batch(Api& api, CallRef call);

// Enqueues a job that was made of the call itself, and answers as POST /jobs does. Its id, its
// policy and what the call's headers say of traces are filled in.
void enqueue_job(Api& api, const CallRef& call, NewJob job);

}  // namespace longshore
