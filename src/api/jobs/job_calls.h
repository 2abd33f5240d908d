// What handlers of jobs share, and handlers of other resources that are about a job.
#pragma once

#include <optional>

#include "api/wire/problem.h"
#include "api/wire/route.h"
#include "longshore/command.h"

namespace longshore {

// 404 problems for unknown jobs.
Problem no_such_job();
Problem no_job_of_key();

// The job that the path names. Nothing, and the call is answered 404, if that is not a job id.
std::optional<JobId> job_in_path(Api& api, const CallRef& call);

// Sends the command and answers {jobId, status} with this HTTP status.
void submit_for_status(Api& api, CallRef call, Command command, int status);

// Enqueues a job made from the call itself, and answers as POST /jobs does. Sets the job's id,
// policy and trace context.
void enqueue_job(Api& api, const CallRef& call, NewJob job);

// Derived from the header Idempotency-Key, so that the store recognises a repeat; else random.
RequestId reply_id_of(Api& api, const Call& call);

}  // namespace longshore
