#include "api/routes_operators.h"

#include "api/server/operator_routes.h"

namespace longshore {
namespace {

using Roles = std::vector<Role>;
using Names = std::vector<std::string_view>;

const Roles anyone = {Role::anyone};
const Roles reading = {Role::viewer, Role::operator_};
const Roles following = {Role::producer, Role::viewer, Role::operator_};
const Roles operating = {Role::operator_};
const Roles administering = {};  // admin always may

const Names filters = {"state",          "jobType", "queue",       "tag",          "jobKeyFilter",
                       "idempotencyKey", "error",   "fingerprint", "createdAfter", "createdBefore",
                       "limit",          "cursor",  "view"};
const Names dead_filters = {
    "state", "jobType",     "queue",        "tag",           "jobKeyFilter",
    "error", "fingerprint", "createdAfter", "createdBefore", "idempotencyKey",
    "limit", "cursor",      "redriven",     "view"};

// Named by its schema, or by its media type if it is not JSON.
RouteAnswer good(std::string_view answer) {
  if (answer.contains('/')) return {.status = 200, .schema = {}, .media = answer};
  return {.status = 200, .schema = answer};
}

Route get(std::string_view pattern, Handle handle, std::string_view summary,
          std::string_view answer, Names query = {}) {
  return {.method = "GET",
          .pattern = pattern,
          .roles = reading,
          .handle = handle,
          .summary = summary,
          .answers = {good(answer)},
          .query = std::move(query)};
}

// The same for what may be long, and is the first that a busy server leaves undone.
Route list(std::string_view pattern, Handle handle, std::string_view summary,
           std::string_view answer, Names query = {}) {
  Route route = get(pattern, handle, summary, answer, std::move(query));
  route.load = Load::listing;
  return route;
}

// The same for what can be answered "not changed".
Route get_tagged(std::string_view pattern, Handle handle, std::string_view summary,
                 std::string_view answer, Names query = {}) {
  Route route = get(pattern, handle, summary, answer, std::move(query));
  route.answers.push_back({304, ""});
  return route;
}

Route post(std::string_view pattern, Handle handle, std::string_view summary, std::string_view body,
           RouteAnswer answer) {
  return {.method = "POST",
          .pattern = pattern,
          .roles = operating,
          .handle = handle,
          .summary = summary,
          .body = body,
          .answers = {answer},
          .query = {}};
}

Route check_route() {
  Route route = post("/check", post_check, "Prove that the store agrees with itself",
                     "EmptyRequest", {200, "Check"});
  route.answers.push_back({202, "CheckUnderWay"});
  route.query = {"checkWait"};
  return route;
}

Route with_roles(Route route, Roles roles) {
  route.roles = std::move(roles);
  return route;
}

Route remove(std::string_view pattern, Handle handle, std::string_view summary, RouteAnswer answer,
             Names query = {}) {
  return {.method = "DELETE",
          .pattern = pattern,
          .roles = administering,
          .handle = handle,
          .summary = summary,
          .answers = {answer},
          .query = std::move(query)};
}

}  // namespace

std::vector<Route> operators_routes() {
  return {
      list("/jobs", get_jobs, "Jobs, newest first", "JobList", filters),
      list("/dead", get_dead, "Dead letters, newest first", "JobList", dead_filters),
      get_tagged("/jobs/{jobId}/details", get_details, "Everything that is stored of a job",
                 "JobDetailsInView", {"view"}),
      get_tagged("/jobs/{jobId}/history", get_history, "The moves of a job", "History", {"view"}),
      get("/jobs/{jobId}/logs", get_logs, "What its attempts logged", "Logs"),
      list("/jobs/{jobId}/explain", get_explanation, "Why a job does not run, and when it will",
           "Explanation"),
      with_roles(get("/jobs/{jobId}/events", get_job_events,
                     "The moves of a job as they happen, as Server-Sent Events",
                     "text/event-stream", {"view"}),
                 following),
      get("/events", get_events, "What happens on this node, as Server-Sent Events",
          "text/event-stream", {"jobType", "queue", "view"}),
      post("/jobs/{jobId}/promote", post_promote, "Let a job run now", "EmptyRequest",
           {200, "JobStatus"}),
      post("/jobs/{jobId}/resolve", post_resolve, "Finish a job without running it",
           "ResolveRequest", {200, "JobStatus"}),
      post("/jobs/{jobId}/redrive", post_redrive, "Run an ended job again, as a new one",
           "RedriveRequest", {202, "JobStatus"}),
      post("/dead/redrive", post_redrive_many, "Redrive the dead letters that a filter finds",
           "ManyRequest", {200, "ManyAnswer"}),
      post("/jobs/cancel", post_cancel_many, "Cancel the jobs that a filter finds", "ManyRequest",
           {200, "ManyAnswer"}),
      list("/errors", get_errors, "Failures, grouped by what they have in common", "ErrorGroups",
           {"limit", "cursor"}),
      with_roles(list("/audit", get_audit, "What operators did, newest first", "AuditTrail",
                      {"limit", "cursor"}),
                 operating),
      list("/queues", get_queues, "Queues by name: depth, age, rates, pause", "Queues",
           {"pageLimit", "cursor"}),
      post("/queues/{queue}/pause", post_pause, "Hand out no more jobs of a queue", "EmptyRequest",
           {200, "QueuePause"}),
      post("/queues/{queue}/resume", post_resume, "Hand out jobs of a queue again", "EmptyRequest",
           {200, "QueuePause"}),
      post("/apply", post_apply, "Apply a declared configuration: rules of the store",
           "ApplyRequest", {200, "ApplyAnswer"}),
      list("/workers", get_workers, "Workers: slots, current jobs, last seen", "Workers"),
      list("/stats", get_stats, "Figures, minute by minute", "Stats",
           {"window", "queue", "jobType"}),
      get("/check", get_check, "The last report on the store, and the check under way", "Checks"),
      check_route(),
  };
}

std::vector<Route> server_routes() {
  return {
      with_roles(get("/livez", get_livez, "Whether the process is alive", "Alive"), anyone),
      with_roles(get("/readyz", get_readyz, "Whether it can serve, and how durably", "Ready"),
                 anyone),
      get("/about", get_about, "Who asks, what the server runs on, how it is set up", "About"),
      get("/metrics", get_metrics, "Metrics for Prometheus", "text/plain"),
      with_roles(get("/ui", get_ui, "To the dashboard", ""), anyone),
      with_roles(get("/ui/", get_ui, "The dashboard", "text/html"), anyone),
      with_roles(get("/ui/{file...}", get_ui, "What the dashboard is made of", ""), anyone),
      with_roles(post("/ui/session", post_session, "Start a session of the dashboard",
                      "SessionRequest", {200, "Session"}),
                 anyone),
      with_roles(remove("/ui/session", delete_session, "End the session", {204, ""}), anyone),
      with_roles(post("/tokens", post_token, "Make a token; it is shown once", "TokenRequest",
                      {201, "NewToken"}),
                 administering),
      with_roles(list("/tokens", get_tokens, "Tokens and when they were used", "Tokens"),
                 administering),
      remove("/tokens", delete_token, "Revoke a token", {200, "Revoked"}, {"tokenId"}),
      remove("/tokens/{tokenId}", delete_token, "Revoke a token", {200, "Revoked"}),
  };
}

}  // namespace longshore
