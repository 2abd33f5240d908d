// A handler that delivers the outcomes of jobs to their callback URLs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/delivery/push.h"
#include "longshore/job.h"
#include "longshore/worker.h"

namespace longshore {

// Looks up the job that the callback is about. If it is Errc::not_found, the delivery contains only
// what the callback itself stores.
using FindJob = std::function<Result<JobRecord>(const JobId& job)>;

// Posts {"type", "timestamp", "data": {jobId, jobType, jobKey?, status, completedAt, result or
// error}}. It is signed with the secret that the callback names, or else with the one named
// "default": a secret of the namespace `ns` that may sign for the URL, as configured now. 2xx means
// delivered; 410 ends the deliveries; anything else is retried with the job's back-off, or after
// Retry-After.
Handler callback_handler(std::shared_ptr<const WebhookSender> sender, std::string ns,
                         Duration timeout, FindJob find);

}  // namespace longshore
