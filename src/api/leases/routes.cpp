#include "api/leases/routes.h"

#include "api/wire/route_rows.h"
#include "core/rules/limits.h"

namespace longshore {
namespace {

// About one job that the worker holds.
Route settle_route(std::string_view pattern, Handle handle, std::string_view summary,
                   std::string_view body, std::string_view answer = "JobStatus") {
  return with_roles(roles::workers, post_route(pattern, handle, summary, body, {200, answer}));
}

std::vector<Route> lease_rows() {
  return {
      {.method = "POST",
       .pattern = "/leases",
       .roles = roles::workers,
       .load = Load::lease,
       .handle = post_leases,
       .summary = "Lease jobs, optionally waiting for the first",
       .body = "LeaseRequest",
       .answers = {{200, "Leases"}},
       .query = {}},
      {.method = "POST",
       .pattern = "/leases/settle",
       .roles = roles::workers,
       .body_limit = batch_body_bytes_max,
       .handle = post_settle,
       .summary = "Settle up to 10,000 jobs, each independently",
       .body = "SettleRequest",
       .answers = {{200, "Verdicts"}},
       .query = {}},
      settle_route("/jobs/{jobId}/heartbeat", post_heartbeat, "Extend a lease and report progress",
                   "HeartbeatRequest", "Heartbeat"),
      settle_route("/jobs/{jobId}/complete", post_complete, "Complete a job with a result",
                   "CompleteRequest"),
      settle_route("/jobs/{jobId}/fail", post_fail, "Fail an attempt with an error", "FailRequest"),
      settle_route("/jobs/{jobId}/release", post_release,
                   "Release a job without counting the attempt", "ReleaseRequest"),
      settle_route("/jobs/{jobId}/handoff", post_handoff,
                   "Hand off a job: an external reply will complete it", "HandoffRequest"),
      list_route("/workers", get_workers, "List workers: slots, current jobs, last seen",
                 "Workers"),
  };
}

}  // namespace

Resource lease_resource() {
  static const std::vector<Route> rows = lease_rows();
  return {.routes = rows, .schemas = lease_schemas()};
}

}  // namespace longshore
