// The public JSON of a job, and its ETag.
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

// The answer of GET /jobs/{jobId}: no payload, no counters, no worker.
std::string public_job_json(const Job& job);

// The ETag of a job: its version.
std::string etag_of(const Job& job);
// True if the request's If-None-Match names this ETag, or any.
bool is_unchanged(const HttpRequest& request, std::string_view etag);

// {code, message} with at most the first line and 500 characters of the message.
std::string short_error_json(const JobError& error);

// {code, message, details}, details null if there are none.
void write_error(JsonOut& out, const JobError& error);

}  // namespace longshore
