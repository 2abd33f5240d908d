#include "unit/api/operator_samples.h"

#include "api/server/server_json.h"

namespace longshore {
namespace {

void look_at_jobs(ApiHarness& harness) {
  const std::string callback = R"("callback":{"url":"https://example.org/","secretName":"s"})";
  const Reply traced =
      harness.post("/jobs", R"({"jobType":"t","queue":"a",)" + callback + "}",
                   {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
  harness.get("/jobs/" + traced.at("jobId") + "/explain");
  const Held held =
      harness.lease(R"("queues":["a"],"worker":{"slots":1,"host":"h","version":"v"})");
  harness.report(held, "heartbeat", R"("progress":5,"log":"l")");
  harness.post("/jobs/" + held.job + "/cancel");
  for (const char* part : {"/details", "/history", "/logs", "/explain"}) {
    harness.get("/jobs/" + held.job + part);
  }
  harness.get("/jobs");
  harness.get("/workers");
  harness.report(held, "complete");
  const std::string failing = harness.enqueue(
      R"("queue":"b","delaySeconds":1,"request":{"headers":{"h":["1"]},"routeParams":{"r":1},)"
      R"("queryParams":[{"name":"q","values":["1"]}]})");
  const std::string second = harness.enqueue(R"("queue":"b")");
  harness.post("/jobs/" + failing + "/promote");
  harness.get("/jobs/" + failing + "/explain");
  harness.report(harness.lease(R"("queues":["b"])"), "fail", R"("error":{"message":"m"})");
  harness.get("/jobs/" + second + "/explain");
  harness.get("/jobs/" + second + "/details");
  harness.get("/errors");
  harness.get("/audit");
  harness.post("/jobs/" + failing + "/resolve", R"({"error":{"message":"m"}})");
  harness.get("/jobs/" + failing + "/details");
  for (const char* view : {"basic", "endpoints", "scheduler", "external", "orchestrator"}) {
    harness.get("/jobs/" + failing + "/details?view=" + view);
    harness.get("/jobs/" + failing + "/history?view=" + view);
    harness.get("/jobs?view=" + std::string(view));
  }
  harness.get("/dead");
  harness.post("/dead/redrive", R"({"filter":{},"limit":1})");
  harness.post("/jobs/" + failing + "/redrive");
  harness.post("/jobs/cancel", R"({"filter":{},"limit":1,"dryRun":true})");
  harness.post("/jobs/cancel", R"({"filter":{},"limit":1})");
  harness.get("/jobs?limit=1");
}

void look_at_the_server(ApiHarness& harness) {
  harness.get("/queues");
  harness.post("/queues/a/pause");
  harness.post("/queues/a/resume");
  while (harness.get("/stats").json.at("queues").as_array().empty()) {
    harness.advance(Duration::seconds(10));
  }
  harness.post("/check");
  harness.get("/check");
  harness.get("/livez");
  harness.get("/readyz");
  harness.post("/apply", R"({"rules":{"maxRetries":4}})");
  harness.get("/about");
  const Reply made = harness.post("/tokens", R"({"role":"admin","expiresInSeconds":60})");
  const std::vector<HttpHeader> bearer = {{"Authorization", "Bearer " + made.at("token")}};
  harness.get("/tokens", bearer);
  harness.post("/ui/session", R"({"token":")" + made.at("token") + R"("})");
  harness.send("DELETE", "/tokens/" + made.at("id"), "", bearer);
  harness.api().drain();
  harness.get("/readyz");
}

}  // namespace

std::vector<Sample> operator_samples() {
  ApiHarness harness(
      {.api = {.configuration = {{.name = "n", .value = "v", .source = "s"}}, .redact = {"r"}}});
  look_at_jobs(harness);
  look_at_the_server(harness);
  std::vector<Sample> samples = harness.samples();
  // A request cannot produce an inconsistent store.
  const Audit audit{.jobs_checked = 1, .findings = {{.rule = "r", .what = "w"}}, .warnings = {"x"}};
  samples.push_back({.path = "/check",
                     .method = "post",
                     .status = "200",
                     .json = boost::json::parse(check_report_json({.outcome = audit}, true))});
  // Nor a check in progress.
  samples.push_back({.path = "/check",
                     .method = "post",
                     .status = "202",
                     .json = boost::json::parse(check_progress_json({}))});
  samples.push_back({.path = "/check",
                     .method = "get",
                     .status = "200",
                     .json = boost::json::parse(checks_json(nullptr, CheckUnderWay(), true))});
  return samples;
}

}  // namespace longshore
