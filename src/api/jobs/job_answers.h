// What the public reads of a job.
#pragma once

#include <string>
#include <string_view>

#include "api/wire/json_out.h"
#include "http/exchange.h"
#include "longshore/job.h"

namespace longshore {

// {jobId, status}
void write_status(JsonOut& out, const JobId& id, Status status);
std::string status_json(const JobId& id, Status status);

// What GET /jobs/{jobId} shows, as an object: no payload, no counters, nothing of workers.
std::string public_job_json(const Job& job);

// The ETag of a job: its version.
std::string etag_of(const Job& job);
// True if the request's If-None-Match names this ETag, or any.
bool is_unchanged(const HttpRequest& request, std::string_view etag);

// {code, message} with no more of the message than its first line and 500 characters.
std::string short_error_json(const JobError& error);

// {code, message, details}, details null if there are none.
void write_error(JsonOut& out, const JobError& error);

}  // namespace longshore
