// A handler that delivers the outcomes of jobs to those who asked for them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/delivery/push.h"
#include "longshore/job.h"
#include "longshore/worker.h"

namespace longshore {

// Where the job is looked up that the callback is about. Errc::not_found if it is gone; then the
// delivery says what the callback itself knows.
using FindJob = std::function<Result<JobRecord>(const JobId& job)>;

// Posts {"type", "timestamp", "data": {jobId, jobType, jobKey?, status, completedAt, result or
// error}}, signed by the secret that the callback names, or else by the one called "default": one
// of the namespace `ns` that may sign for the URL, whatever was configured when the job was
// enqueued. 2xx is delivered; 410 is the end of it; anything else is tried again by the job's own
// back-off, or after what Retry-After says.
Handler callback_handler(std::shared_ptr<const WebhookSender> postman, std::string ns,
                         Duration timeout, FindJob find);

}  // namespace longshore
