#include "api/routes.h"

#include "api/jobs/by_key.h"
#include "api/jobs/cancel.h"
#include "api/jobs/enqueue.h"
#include "api/jobs/job_reads.h"
#include "api/leases/leases.h"
#include "api/leases/settle.h"
#include "api/leases/settle_batch.h"
#include "api/openapi/openapi.h"
#include "api/routes_operators.h"

namespace longshore {
namespace {

using Roles = std::vector<Role>;

constexpr std::size_t large_body = 16 * 1024 * 1024;

const Roles anyone = {Role::anyone};
const Roles producing = {Role::producer, Role::operator_};
const Roles watching = {Role::producer, Role::viewer, Role::operator_};
const Roles working = {Role::worker, Role::operator_};
const Roles watching_keys = {Role::worker, Role::viewer, Role::operator_};

std::vector<Route> producers_routes() {
  return {
      {.method = "POST",
       .pattern = "/jobs",
       .roles = producing,
       .load = Load::enqueue,
       .handle = post_job,
       .summary = "Enqueue one job",
       .body = "NewJob",
       .answers = {{202, "JobStatus"}},
       .query = {}},
      {.method = "POST",
       .pattern = "/jobs/batch",
       .roles = producing,
       .load = Load::enqueue,
       .body_limit = large_body,
       .handle = post_batch,
       .summary = "Enqueue up to 10,000 jobs, all or none",
       .body = "NewJobs",
       .answers = {{202, "JobStatuses"}},
       .query = {}},
      {.method = "GET",
       .pattern = "/jobs/{jobId}",
       .roles = watching,
       .handle = get_job,
       .summary = "What became of a job; with waitSeconds, once it has ended",
       .answers = {{200, "Job"}, {304, ""}},
       .query = {"waitSeconds"}},
      {.method = "GET",
       .pattern = "/jobs/{jobId}/result",
       .roles = watching,
       .handle = get_result,
       .summary = "The result of a job, byte for byte",
       .answers = {{200, "AnyJson"}, {202, "JobStatus"}, {304, ""}},
       .query = {"waitSeconds"}},
      {.method = "POST",
       .pattern = "/jobs/{jobId}/cancel",
       .roles = producing,
       .handle = post_cancel,
       .summary = "Withdraw a job, or ask its worker to stop",
       .body = "CancelRequest",
       .answers = {{200, "JobStatus"}, {202, "JobStatus"}},
       .query = {}},
  };
}

// What a worker says of one job that it holds.
Route word(std::string_view pattern, Handle handle, std::string_view summary, std::string_view body,
           std::string_view answer = "JobStatus") {
  return {.method = "POST",
          .pattern = pattern,
          .roles = working,
          .handle = handle,
          .summary = summary,
          .body = body,
          .answers = {{200, answer}},
          .query = {}};
}

std::vector<Route> workers_routes() {
  return {
      {.method = "POST",
       .pattern = "/leases",
       .roles = working,
       .load = Load::lease,
       .handle = post_leases,
       .summary = "Lease jobs, waiting for the first if need be",
       .body = "LeaseRequest",
       .answers = {{200, "Leases"}},
       .query = {}},
      {.method = "POST",
       .pattern = "/leases/settle",
       .roles = working,
       .body_limit = large_body,
       .handle = post_settle,
       .summary = "Settle up to 10,000 jobs, each on its own",
       .body = "SettleRequest",
       .answers = {{200, "Verdicts"}},
       .query = {}},
      word("/jobs/{jobId}/heartbeat", post_heartbeat, "Keep a lease, and say how far it is",
           "HeartbeatRequest", "Heartbeat"),
      word("/jobs/{jobId}/complete", post_complete, "Finish a job with a result",
           "CompleteRequest"),
      word("/jobs/{jobId}/fail", post_fail, "Say what went wrong with an attempt", "FailRequest"),
      word("/jobs/{jobId}/release", post_release, "Give a job back, uncounted", "ReleaseRequest"),
      word("/jobs/{jobId}/handoff", post_handoff, "Let an outside reply finish the job",
           "HandoffRequest"),
      {.method = "GET",
       .pattern = "/types/{jobType}/keys/{jobKey}",
       .roles = watching_keys,
       .handle = get_job_by_key,
       .summary = "The live, else the latest job of a key",
       .answers = {{200, "Job"}, {304, ""}},
       .query = {"waitSeconds"}},
      word("/types/{jobType}/keys/{jobKey}/complete", post_complete_by_key,
           "Finish the live job of a key with a result", "CompleteByKeyRequest"),
      word("/types/{jobType}/keys/{jobKey}/fail", post_fail_by_key, "Fail the live job of a key",
           "FailByKeyRequest"),
  };
}

std::vector<Route> documents_routes() {
  return {
      {.method = "GET",
       .pattern = "/openapi.json",
       .roles = anyone,
       .handle = get_openapi,
       .summary = "This document",
       .answers = {{200, "AnyJson"}},
       .query = {}},
  };
}

std::vector<Route> all_routes() {
  std::vector<Route> table;
  for (const auto& part : {producers_routes(), workers_routes(), operators_routes(),
                           server_routes(), documents_routes()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  return table;
}

}  // namespace

std::span<const Route> routes() {
  static const std::vector<Route> table = all_routes();
  return table;
}

}  // namespace longshore
