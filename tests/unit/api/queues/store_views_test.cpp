// Queues, workers, errors, statistics, the server and event streams.
#include "unit/api/api_harness.h"
#include "unit/api/metrics_lint.h"

namespace longshore {
namespace {

namespace json = boost::json;

class StoreViews : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(StoreViews);

TEST_P(StoreViews, ShowQueues) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.get("/queues").text, R"({"queues":[],"nextCursor":null})");
  harness.enqueue(R"("queue":"a")");
  harness.enqueue(R"("queue":"a")");
  harness.lease(R"("queues":["a"])");
  harness.advance(Duration::seconds(3));
  const Reply reply = harness.get("/queues");
  const json::value& queue = reply.json.at("queues").at(0);
  EXPECT_EQ(queue.at("queue"), "a");
  EXPECT_EQ(queue.at("depth").at("QUEUED"), 1);
  EXPECT_EQ(queue.at("depth").at("RUNNING"), 1);
  EXPECT_EQ(queue.at("oldestAgeSeconds"), 3);
  EXPECT_EQ(queue.at("paused"), false);
}

TEST_P(StoreViews, PauseAndResumeAQueue) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Reply paused = harness.post("/queues/default/pause");
  EXPECT_EQ(paused.status, 200);
  EXPECT_EQ(paused.text, R"({"queue":"default","paused":true})");
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w"})").text, R"({"leases":[]})");
  EXPECT_EQ(harness.get("/queues").json.at("queues").at(0).at("paused"), true);
  EXPECT_EQ(harness.post("/queues/default/resume", "{}").at("paused"), "false");
  harness.lease();
  EXPECT_EQ(harness.post("/queues/a%20b/pause").fields(), "queue");
  EXPECT_EQ(harness.post("/queues/default/pause", R"({"x":1})").status, 422);
  EXPECT_EQ(harness.get("/queues/default/pause").header("Allow"), "POST");
  const auto trail = harness.node().catalog().audit_trail("default", 10).value();
  ASSERT_EQ(trail.size(), 2U);
  EXPECT_EQ(trail[0].action, "resume");
  EXPECT_EQ(trail[1].actor.name, "local");
}

TEST_P(StoreViews, ShowWorkers) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  harness.lease(R"("jobTypes":["t"],"worker":{"slots":4,"host":"h","version":"1"})");
  const Reply reply = harness.get("/workers");
  ASSERT_EQ(reply.json.at("workers").as_array().size(), 1U) << reply.text;
  const json::value& worker = reply.json.at("workers").at(0);
  EXPECT_EQ(worker.at("workerId"), "w");
  EXPECT_EQ(worker.at("slots"), 4);
  EXPECT_EQ(worker.at("host"), "h");
  EXPECT_EQ(worker.at("lastSeenAt"), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(worker.at("jobs").at(0).as_string(), id);
}

TEST_P(StoreViews, GroupErrors) {
  ApiHarness harness(on_store());
  const std::string first = harness.enqueue(R"("maxRetries":0)");
  harness.report(harness.lease(), "fail", R"("error":{"code":"C","message":"row 17 is bad"})");
  harness.enqueue(R"("maxRetries":0)");
  harness.report(harness.lease(), "fail", R"("error":{"code":"C","message":"row 18 is bad"})");
  const Reply reply = harness.get("/errors");
  ASSERT_EQ(reply.json.at("errors").as_array().size(), 1U) << reply.text;
  EXPECT_EQ(reply.json.at("errors").at(0).at("count"), 2);
  EXPECT_EQ(reply.json.at("errors").at(0).at("jobType"), "t");
}

TEST_P(StoreViews, CountTheStatesOfTheJobsOfAGroup) {
  ApiHarness harness(on_store());
  for (const char* retryable : {"false", "true", "true"}) {
    harness.enqueue(R"("queue":"q")");
    harness.report(harness.lease(R"("queues":["q"])"), "fail",
                   R"("error":{"message":"m"},"retryable":)" + std::string(retryable));
  }
  harness.advance(Duration::seconds(5));
  harness.report(harness.lease(R"("queues":["q"])"), "complete");
  const json::value group = harness.get("/errors").json.at("errors").at(0);
  EXPECT_EQ(group.at("dead"), 1);
  EXPECT_EQ(group.at("retrying"), 1);
  EXPECT_EQ(group.at("recovered"), 1);
  EXPECT_EQ(group.at("more"), false);
}

TEST_P(StoreViews, GroupErrorsPageByPage) {
  ApiHarness harness(on_store());
  for (const char* code : {"A", "B", "C"}) {
    harness.enqueue(R"("maxRetries":0)");
    harness.report(harness.lease(), "fail",
                   R"("error":{"message":"m","code":")" + std::string(code) + R"("})");
    harness.advance(Duration::seconds(1));
  }
  std::string codes;
  std::string cursor;
  do {
    const Reply page = harness.get("/errors?limit=1" + cursor);
    ASSERT_EQ(page.json.at("errors").as_array().size(), 1U) << page.text;
    codes += page.json.at("errors").at(0).at("code").as_string();
    const json::value& next = page.json.at("nextCursor");
    cursor = next.is_null() ? "" : "&cursor=" + std::string(next.as_string());
  } while (!cursor.empty());
  EXPECT_EQ(codes, "CBA") << "latest first";
  EXPECT_EQ(harness.get("/errors?limit=0").fields(), "limit");
  EXPECT_EQ(harness.get("/errors?limit=501").fields(), "limit");
  EXPECT_EQ(harness.get("/errors?cursor=x").fields(), "cursor");
  EXPECT_EQ(harness.get("/errors?x=1").code(), "UNKNOWN_FIELD");
}

TEST_P(StoreViews, ListTheJobsOfAGroup) {
  ApiHarness harness(on_store());
  std::vector<std::string> ids;
  for (const char* message : {"row 1", "other", "row 2", "row 3"}) {
    ids.push_back(harness.enqueue(R"("maxRetries":0)"));
    harness.report(harness.lease(), "fail",
                   R"("error":{"message":")" + std::string(message) + R"("})");
  }
  std::string group;
  const Reply errors = harness.get("/errors");
  for (const json::value& each : errors.json.at("errors").as_array()) {
    if (each.at("count") == 3) group = each.at("fingerprint").as_string();
  }
  for (const std::string path : {"/jobs", "/dead"}) {
    SCOPED_TRACE(path);
    const Reply all = harness.get(path + "?fingerprint=" + group);
    ASSERT_EQ(all.json.at("jobs").as_array().size(), 3U) << all.text;
    EXPECT_EQ(all.json.at("jobs").at(0).at("jobId").as_string(), ids[3]);
    const Reply page = harness.get(path + "?limit=2&fingerprint=" + group);
    ASSERT_EQ(page.json.at("jobs").as_array().size(), 2U) << page.text;
    const Reply rest =
        harness.get(path + "?limit=2&fingerprint=" + group + "&cursor=" + page.at("nextCursor"));
    ASSERT_EQ(rest.json.at("jobs").as_array().size(), 1U) << rest.text;
    EXPECT_EQ(rest.json.at("jobs").at(0).at("jobId").as_string(), ids[0]);
    EXPECT_TRUE(rest.json.at("nextCursor").is_null());
    EXPECT_EQ(harness.get(path + "?fingerprint=xyz").fields(), "fingerprint");
    EXPECT_EQ(harness.get(path + "?fingerprint=0000000000000000").json.at("jobs").as_array().size(),
              0U);
  }
}

TEST_P(StoreViews, ShowTheAuditTrailPageByPage) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.get("/audit").text, R"({"audit":[],"nextCursor":null})");
  for (const char* queue : {"a", "b", "c"}) {
    harness.post("/queues/" + std::string(queue) + "/pause", "", {{"X-Request-Id", "r"}});
  }
  const Reply first = harness.get("/audit?limit=2");
  ASSERT_EQ(first.json.at("audit").as_array().size(), 2U) << first.text;
  EXPECT_EQ(first.json.at("audit").at(0).at("target"), "c");
  EXPECT_EQ(first.json.at("audit").at(0).at("action"), "pause");
  EXPECT_EQ(first.json.at("audit").at(0).at("actor"), "local");
  EXPECT_EQ(first.json.at("audit").at(0).at("requestId"), "r");
  const Reply rest = harness.get("/audit?limit=2&cursor=" + first.at("nextCursor"));
  ASSERT_EQ(rest.json.at("audit").as_array().size(), 1U) << rest.text;
  EXPECT_EQ(rest.json.at("audit").at(0).at("target"), "a");
  EXPECT_TRUE(rest.json.at("nextCursor").is_null());
  EXPECT_EQ(harness.get("/audit?limit=0").fields(), "limit");
  EXPECT_EQ(harness.get("/audit?cursor=x").fields(), "cursor");
}

TEST_P(StoreViews, ShowStatisticsByMinute) {
  ApiHarness harness(on_store());
  harness.enqueue();
  harness.report(harness.lease(), "complete");
  Reply reply = harness.get("/stats");
  // The node stores its statistics every ten seconds, on its own thread.
  while (reply.json.at("totals").at("succeeded") != 1) {
    harness.advance(Duration::seconds(10));
    reply = harness.get("/stats");
  }
  EXPECT_EQ(reply.at("window"), "1h");
  EXPECT_EQ(reply.json.at("minutes").as_array().size(), 60U);
  EXPECT_EQ(reply.json.at("totals").at("enqueued"), 1);
  EXPECT_EQ(harness.get("/stats?window=6h").json.at("minutes").as_array().size(), 360U);
  EXPECT_EQ(harness.get("/stats?window=24h").json.at("minutes").as_array().size(), 1440U);
  EXPECT_EQ(harness.get("/stats?queue=none").json.at("totals").at("enqueued"), 0);
  for (const char* wrong : {"window=2h", "window=", "queue=a%20b"}) {
    EXPECT_EQ(harness.get("/stats?" + std::string(wrong)).status, 422) << wrong;
  }
}

TEST_P(StoreViews, CheckTheStore) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Reply reply = harness.post("/check");
  EXPECT_TRUE(reply.text.starts_with(R"({"sound":true,"jobsChecked":1,"findings":[],)"))
      << reply.text;
  EXPECT_EQ(harness.post("/check", R"({"repair":true})").code(), "UNKNOWN_FIELD");
  const boost::json::value kept = harness.get("/check").json;
  EXPECT_EQ(kept.at("report").at("jobsChecked"), reply.json.at("jobsChecked"));
  EXPECT_TRUE(kept.at("progress").is_null());
  EXPECT_EQ(harness.post("/check?waitSeconds=61").code(), "INVALID_FIELD");
  EXPECT_EQ(harness.post("/check?wait=1").code(), "UNKNOWN_FIELD");
}

class ServerViews : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(ServerViews);

TEST_P(ServerViews, TellWhetherTheServerIsAliveAndReady) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.get("/livez").text, R"({"status":"alive"})");
  const Reply ready = harness.get("/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(ready.at("store"), GetParam());
  EXPECT_EQ(ready.at("durability"), GetParam() == "memory" ? "C" : "A");
  harness.api().drain();
  const Reply draining = harness.get("/readyz");
  EXPECT_EQ(draining.status, 503);
  EXPECT_EQ(draining.at("durability"), GetParam() == "memory" ? "C" : "A");
  EXPECT_EQ(harness.get("/livez").status, 200);
}

TEST_P(ServerViews, TellThatAStoppedNodeIsNotReady) {
  ApiHarness harness(on_store());
  harness.node().stop();
  EXPECT_EQ(harness.get("/readyz").status, 503);
  EXPECT_EQ(harness.get("/livez").status, 200);
}

TEST_P(ServerViews, ShowValidMetrics) {
  ApiHarness harness(on_store());
  harness.enqueue();
  harness.report(harness.lease(), "complete");
  harness.get("/jobs/x");
  const HttpResponse response = harness.begin("GET", "/metrics")->wait();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(metrics_faults(response.body), "");
  for (const char* line :
       {R"(longshore_jobs_enqueued_total{namespace="default",queue="default",job_type="t"} 1)",
        R"(longshore_jobs_started_total{namespace="default",queue="default",job_type="t"} 1)",
        R"(longshore_http_requests_total{method="POST",route="/jobs",status="202"} 1)",
        R"(longshore_http_requests_total{method="GET",route="/jobs/{jobId}",status="404"} 1)",
        R"(longshore_queue_depth{namespace="default",queue="default",state="SUCCESS"} 1)"}) {
    EXPECT_TRUE(response.body.contains(line)) << line << "\n" << response.body;
  }
}

TEST_P(ServerViews, ServeADashboardThatLoadsNothingForeign) {
  ApiHarness harness(on_store());
  const HttpResponse page = harness.begin("GET", "/ui/")->wait();
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  const std::string policy(HttpRequest{.headers = page.headers}.header("Content-Security-Policy"));
  EXPECT_TRUE(policy.contains("default-src 'none'"));
  EXPECT_FALSE(policy.contains("unsafe"));
  EXPECT_FALSE(page.body.contains("<script>"));
  EXPECT_FALSE(page.body.contains("style="));
  EXPECT_EQ(harness.begin("GET", "/ui")->wait().status, 308);
  EXPECT_EQ(harness.begin("GET", "/v1/ui/")->wait().status, 200);
  EXPECT_EQ(harness.begin("GET", "/ui/../etc/passwd")->wait().status, 404);
}

TEST_P(ServerViews, ShowTheCallerAndTheConfiguration) {
  HarnessOptions options = on_store();
  options.api.configuration = {{.name = "listen", .value = "here", .source = "--listen"}};
  options.api.redact = {"secret"};
  ApiHarness harness(std::move(options));
  const Reply about = harness.get("/about");
  EXPECT_EQ(about.status, 200);
  EXPECT_EQ(about.json.at("caller").at("role").as_string(), "admin");
  EXPECT_FALSE(about.json.at("caller").at("hasToken").as_bool());
  EXPECT_EQ(about.json.at("configuration").at(0).at("source").as_string(), "--listen");
  EXPECT_EQ(about.json.at("redact").at(0).as_string(), "secret");
  EXPECT_EQ(about.at("profile"), "native");
}

class Events : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(Events);

TEST_P(Events, StreamAJobToItsEnd) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("maxRetries":0)");
  const auto exchange = harness.begin("GET", "/jobs/" + id + "/events");
  const HttpResponse head = exchange->wait();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.content_type, "text/event-stream");
  const auto stream = exchange->sent_stream();
  stream->wait_for("id: 2\n");
  const Held held = harness.lease();
  stream->wait_for("\"to\":\"RUNNING\"");
  harness.report(held, "fail", R"("error":{"code":"C","message":"one\ntwo"})");
  EXPECT_TRUE(stream->wait_for_end());
  const std::string text = stream->wait_for("DEAD");
  EXPECT_TRUE(text.contains(R"("to":"RETRY","cause":"fail")")) << text;
  EXPECT_TRUE(text.contains(R"("error":{"code":"C","message":"one"})")) << text;
  EXPECT_TRUE(text.contains(R"("status":"FAILED")")) << text;
  const auto again = harness.begin("GET", "/jobs/" + id + "/events", "", {{"Last-Event-ID", "3"}});
  again->wait();
  EXPECT_TRUE(again->sent_stream()->wait_for_end());
  EXPECT_TRUE(again->sent_stream()->wait_for("id: 4").starts_with("event: transition\nid: 4\n"));
}

TEST_P(Events, AreValidated) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  EXPECT_EQ(harness.get("/jobs/" + id + "/events", {{"Last-Event-ID", "x"}}).status, 422);
  EXPECT_EQ(harness.get("/jobs/" + id + "/events?since=1").code(), "UNKNOWN_FIELD");
  EXPECT_EQ(harness.get("/events?queue=a%20b").fields(), "queue");
  EXPECT_EQ(harness.begin("HEAD", "/events")->wait().content_type, "text/event-stream");
}

TEST_P(Events, StreamTransitionsLive) {
  ApiHarness harness(on_store());
  const auto exchange = harness.begin("GET", "/events?jobType=b");
  exchange->wait();
  const auto stream = exchange->sent_stream();
  stream->wait_for(": connected");
  harness.enqueue(R"("jobType":"a")");
  const std::string id = harness.enqueue(R"("jobType":"b")");
  EXPECT_FALSE(stream->wait_for(id).contains("\"jobType\":\"a\""));
  harness.api().drain();
  EXPECT_TRUE(stream->wait_for_end());
  EXPECT_EQ(harness.get("/events").status, 503);
}

}  // namespace
}  // namespace longshore
