#include "api/jobs/routes.h"

#include "api/wire/route_rows.h"
#include "core/rules/limits.h"

namespace longshore {
namespace {

const Names filters = {"state",          "jobType", "queue",       "tag",          "jobKeyFilter",
                       "idempotencyKey", "error",   "fingerprint", "createdAfter", "createdBefore",
                       "limit",          "cursor",  "view"};
const Names dead_filters = {
    "state", "jobType",     "queue",        "tag",           "jobKeyFilter",
    "error", "fingerprint", "createdAfter", "createdBefore", "idempotencyKey",
    "limit", "cursor",      "redriven",     "view"};

std::vector<Route> enqueue_rows() {
  return {
      {.method = "POST",
       .pattern = "/jobs",
       .roles = roles::producers,
       .load = Load::enqueue,
       .handle = post_job,
       .summary = "Enqueue one job",
       .body = "NewJob",
       .answers = {{202, "JobStatus"}},
       .query = {}},
      {.method = "POST",
       .pattern = "/jobs/batch",
       .roles = roles::producers,
       .load = Load::enqueue,
       .body_limit = batch_body_bytes_max,
       .handle = post_batch,
       .summary = "Enqueue up to 10,000 jobs, all or none",
       .body = "NewJobs",
       .answers = {{202, "JobStatuses"}},
       .query = {}},
      {.method = "POST",
       .pattern = "/jobs/{jobId}/cancel",
       .roles = roles::producers,
       .handle = post_cancel,
       .summary = "Cancel a job, or ask its worker to stop",
       .body = "CancelRequest",
       .answers = {{200, "JobStatus"}, {202, "JobStatus"}},
       .query = {}},
  };
}

// Answered at once, or with waitSeconds when the job ends.
std::vector<Route> read_rows() {
  return {
      with_roles(roles::job_readers, cached_route("/jobs/{jobId}", get_job,
                                                  "Get a job; with waitSeconds, when it has ended",
                                                  "Job", {"waitSeconds"})),
      {.method = "GET",
       .pattern = "/jobs/{jobId}/result",
       .roles = roles::job_readers,
       .handle = get_result,
       .summary = "Get the result of a job, byte for byte",
       .answers = {{200, "AnyJson"}, {202, "JobStatus"}, {304, ""}},
       .query = {"waitSeconds"}},
      with_roles(roles::key_readers, cached_route("/types/{jobType}/keys/{jobKey}", get_job_by_key,
                                                  "Get the live, else the latest job of a key",
                                                  "Job", {"waitSeconds"})),
  };
}

std::vector<Route> view_rows() {
  return {
      list_route("/jobs", get_jobs, "List jobs, newest first", "JobList", filters),
      list_route("/dead", get_dead, "List dead letters, newest first", "JobList", dead_filters),
      cached_route("/jobs/{jobId}/details", get_details, "Get everything stored about a job",
                   "JobDetailsInView", {"view"}),
      cached_route("/jobs/{jobId}/history", get_history, "List the transitions of a job", "History",
                   {"view"}),
      get_route("/jobs/{jobId}/logs", get_logs, "Get the logs of a job's attempts", "Logs"),
      list_route("/jobs/{jobId}/explain", get_explanation,
                 "Explain why a job is not running and when it will", "Explanation"),
  };
}

std::vector<Route> action_rows() {
  return {
      post_route("/jobs/{jobId}/promote", post_promote, "Run a job now instead of later",
                 "EmptyRequest", {200, "JobStatus"}),
      post_route("/jobs/{jobId}/resolve", post_resolve, "Complete or fail a job without running it",
                 "ResolveRequest", {200, "JobStatus"}),
      post_route("/jobs/{jobId}/redrive", post_redrive, "Run an ended job again, as a new job",
                 "RedriveRequest", {202, "JobStatus"}),
      post_route("/dead/redrive", post_redrive_many, "Redrive the dead letters that match a filter",
                 "ManyRequest", {200, "ManyAnswer"}),
      post_route("/jobs/cancel", post_cancel_many, "Cancel the jobs that match a filter",
                 "ManyRequest", {200, "ManyAnswer"}),
      with_roles(roles::workers,
                 post_route("/types/{jobType}/keys/{jobKey}/complete", post_complete_by_key,
                            "Complete the live job of a key with a result", "CompleteByKeyRequest",
                            {200, "JobStatus"})),
      with_roles(roles::workers,
                 post_route("/types/{jobType}/keys/{jobKey}/fail", post_fail_by_key,
                            "Fail the live job of a key", "FailByKeyRequest", {200, "JobStatus"})),
  };
}

template <class T>
std::vector<T> concatenated(std::initializer_list<std::span<const T>> parts) {
  std::vector<T> all;
  for (const std::span<const T> part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

Resource job_resource() {
  static const std::vector<Route> rows =
      concatenated<Route>({enqueue_rows(), read_rows(), view_rows(), action_rows()});
  static const std::vector<Schema> schemas =
      concatenated<Schema>({job_schemas(), stored_job_schemas()});
  return {.routes = rows, .schemas = schemas, .parameters = job_parameters()};
}

}  // namespace longshore
