// Queues, workers, errors and figures.
#include "unit/api/api_harness.h"
#include "unit/api/metrics_lint.h"

namespace longshore {
namespace {

namespace json = boost::json;

class StoreViews : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(StoreViews);

TEST_P(StoreViews, ShowQueues) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.get("/queues").text, R"({"queues":[]})");
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
  harness.say(harness.lease(), "fail", R"("error":{"code":"C","message":"row 17 is bad"})");
  harness.enqueue(R"("maxRetries":0)");
  harness.say(harness.lease(), "fail", R"("error":{"code":"C","message":"row 18 is bad"})");
  const Reply reply = harness.get("/errors");
  ASSERT_EQ(reply.json.at("errors").as_array().size(), 1U) << reply.text;
  EXPECT_EQ(reply.json.at("errors").at(0).at("count"), 2);
  EXPECT_EQ(reply.json.at("errors").at(0).at("jobType"), "t");
}

TEST_P(StoreViews, ShowFiguresMinuteByMinute) {
  ApiHarness harness(on_store());
  harness.enqueue();
  harness.say(harness.lease(), "complete");
  Reply reply = harness.get("/stats");
  // The node writes its minutes down every ten seconds, from a thread of its own.
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

TEST_P(StoreViews, ProveTheStoreSound) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Reply reply = harness.post("/check");
  EXPECT_EQ(reply.text, R"({"sound":true,"jobsChecked":1,"findings":[]})");
  EXPECT_EQ(harness.post("/check", R"({"repair":true})").code(), "UNKNOWN_FIELD");
  EXPECT_EQ(harness.get("/check").status, 405);
}

class ServerViews : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(ServerViews);

TEST_P(ServerViews, SayWhetherTheServerLivesAndIsReady) {
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

TEST_P(ServerViews, SayThatAStoppedNodeIsNotReady) {
  ApiHarness harness(on_store());
  harness.node().stop();
  EXPECT_EQ(harness.get("/readyz").status, 503);
  EXPECT_EQ(harness.get("/livez").status, 200);
}

TEST_P(ServerViews, ShowMetricsThatPrometheusReads) {
  ApiHarness harness(on_store());
  harness.enqueue();
  harness.say(harness.lease(), "complete");
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

TEST_P(ServerViews, ShowAPageThatRunsNothingForeign) {
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

TEST_P(ServerViews, TellWhoAsksAndHowTheServerIsSetUp) {
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

TEST_P(Events, FollowAJobToItsEnd) {
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
  harness.say(held, "fail", R"("error":{"code":"C","message":"one\ntwo"})");
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

TEST_P(Events, AreAskedForStrictly) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  EXPECT_EQ(harness.get("/jobs/" + id + "/events", {{"Last-Event-ID", "x"}}).status, 422);
  EXPECT_EQ(harness.get("/jobs/" + id + "/events?since=1").code(), "UNKNOWN_FIELD");
  EXPECT_EQ(harness.get("/events?queue=a%20b").fields(), "queue");
  EXPECT_EQ(harness.begin("HEAD", "/events")->wait().content_type, "text/event-stream");
}

TEST_P(Events, ShowWhatHappensLive) {
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
