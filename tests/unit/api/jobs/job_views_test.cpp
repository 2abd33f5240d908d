// Listing jobs, and reading everything about one job.
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

namespace json = boost::json;

std::vector<std::string> ids_in(const Reply& reply) {
  std::vector<std::string> ids;
  for (const json::value& job : reply.json.at("jobs").as_array()) {
    ids.emplace_back(job.at("jobId").as_string());
  }
  return ids;
}

class GetJobs : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(GetJobs);

TEST_P(GetJobs, ListsTheNewestFirstPageByPage) {
  ApiHarness harness(on_store());
  std::vector<std::string> all;
  for (int i = 0; i < 5; ++i) all.insert(all.begin(), harness.enqueue());
  Reply page = harness.get("/jobs?limit=2");
  EXPECT_EQ(page.status, 200);
  std::vector<std::string> read = ids_in(page);
  EXPECT_EQ(read.size(), 2U);
  while (!page.json.at("nextCursor").is_null()) {
    harness.enqueue();  // later jobs do not disturb the pages
    page = harness.get("/v1/jobs?limit=2&cursor=" + page.at("nextCursor"));
    for (const std::string& id : ids_in(page)) read.push_back(id);
  }
  EXPECT_EQ(read, all);
}

TEST_P(GetJobs, HasFiftyItemsByDefault) {
  ApiHarness harness(on_store());
  std::string jobs;
  for (int i = 0; i < 60; ++i) jobs += (i == 0 ? "" : ",") + std::string(R"({"jobType":"t"})");
  harness.post("/jobs/batch", R"({"jobs":[)" + jobs + "]}");
  EXPECT_EQ(ids_in(harness.get("/jobs")).size(), 50U);
  EXPECT_EQ(ids_in(harness.get("/jobs?limit=500")).size(), 60U);
  EXPECT_EQ(ids_in(harness.get("/jobs?limit=1")).size(), 1U);
}

TEST_P(GetJobs, SupportsEveryFilter) {
  ApiHarness harness(on_store());
  harness.enqueue();
  harness.advance(Duration::seconds(10));
  const std::string wanted =
      harness.enqueue(R"("jobType":"mail","queue":"q","tags":["red","blue"],"jobKey":"k/1",)"
                      R"("idempotencyKey":"i 1")");
  const Held held = harness.lease(R"("queues":["q"])");
  harness.report(held, "fail", R"("error":{"code":"SMTP","message":"no route"},"retryable":false)");
  harness.advance(Duration::seconds(10));
  harness.enqueue();
  for (const char* query :
       {"state=DEAD", "jobType=mail", "queue=q", "tag=red", "tag=blue", "jobKey=k%2F1",
        "idempotencyKey=i+1", "error=SMTP", "error=route",
        "createdAfter=2027-01-15T08:00:10.000Z&createdBefore=2027-01-15T08:00:10.001Z",
        "createdAfter=2027-01-15T10:00:10%2B02:00&createdBefore=2027-01-15T08:00:20Z",
        "state=DEAD&jobType=mail&queue=q&tag=red&error=SMTP&limit=1"}) {
    SCOPED_TRACE(query);
    EXPECT_EQ(ids_in(harness.get("/jobs?" + std::string(query))), std::vector{wanted});
  }
  for (const char* query : {"state=RETRY", "jobType=m", "tag=green", "error=other", "jobKey=k"}) {
    SCOPED_TRACE(query);
    EXPECT_TRUE(ids_in(harness.get("/jobs?" + std::string(query))).empty());
  }
}

TEST_P(GetJobs, RefusesInvalidParameters) {
  ApiHarness harness(on_store());
  struct Case {
    const char* query;
    const char* field;
  };
  for (const Case& c :
       {Case{"limit=0", "limit"}, Case{"limit=501", "limit"}, Case{"limit=x", "limit"},
        Case{"limit=", "limit"}, Case{"limit=1.5", "limit"}, Case{"state=queued", "state"},
        Case{"state=", "state"}, Case{"cursor=x", "cursor"}, Case{"cursor=", "cursor"},
        Case{"createdAfter=today", "createdAfter"},
        Case{"createdBefore=2026-02-30T00:00:00Z", "createdBefore"},
        Case{"jobType=a%20b", "jobType"}, Case{"queue=", "queue"},
        Case{"limit=1&limit=2", "limit"}}) {
    SCOPED_TRACE(c.query);
    const Reply reply = harness.get("/jobs?" + std::string(c.query));
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), "INVALID_FIELD");
    EXPECT_EQ(reply.fields(), c.field);
  }
  EXPECT_EQ(harness.get("/jobs?colour=red").code(), "UNKNOWN_FIELD");
}

TEST_P(GetJobs, FindsSeveralStatesAndPublicStatuses) {
  ApiHarness harness(on_store());
  const std::string failed = harness.enqueue();
  harness.report(harness.lease(), "fail", R"("error":{"message":"m"},"retryable":false)");
  const std::string gone = harness.enqueue();
  harness.post("/jobs/" + gone + "/cancel");
  const std::string queued = harness.enqueue();
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids_in(harness.get("/jobs?state=DEAD,QUEUED")), (Ids{queued, failed}));
  EXPECT_EQ(ids_in(harness.get("/jobs?state=PENDING,CANCELED")), (Ids{queued, gone}));
  EXPECT_EQ(ids_in(harness.get("/jobs?state=FAILED")), Ids{failed});
  EXPECT_EQ(ids_in(harness.get("/jobs?state=COMPLETED,RUNNING")), Ids{});
  const Reply listed = harness.get("/jobs?state=FAILED");
  EXPECT_EQ(listed.json.at("jobs").at(0).at("error"),
            json::parse(R"({"code":"ERROR","message":"m"})"));
  for (const char* wrong : {"DEAD,", "DEAD,NONE", "initial", "DEAD,,QUEUED"}) {
    EXPECT_EQ(harness.get("/jobs?state=" + std::string(wrong)).fields(), "state") << wrong;
  }
}

TEST_P(GetJobs, AnswersInTheWordsOfAProfile) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("payload":1)");
  const json::value list = harness.get("/jobs?view=external&state=initial").json;
  ASSERT_EQ(list.at("jobs").as_array().size(), 1U);
  EXPECT_EQ(list.at("jobs").at(0).at("id"), harness.record(id).job.number);
  EXPECT_EQ(list.at("jobs").at(0).at("error"), "NONE");
  EXPECT_TRUE(harness.get("/jobs?view=external&state=error,final,running")
                  .json.at("jobs")
                  .as_array()
                  .empty());
  const Reply history = harness.get("/jobs/" + id + "/history?view=external");
  ASSERT_EQ(history.json.at("history").as_array().size(), 1U);
  EXPECT_EQ(history.json.at("history").at(0).at("to"), "initial");
  for (const std::string& path :
       {std::string("/jobs?"), std::string("/dead?"), std::string("/events?"),
        "/jobs/" + id + "/details?", "/jobs/" + id + "/history?", "/jobs/" + id + "/events?"}) {
    const Reply reply = harness.get(path + "view=none");
    EXPECT_EQ(reply.status, 422) << path;
    EXPECT_EQ(reply.fields(), "view") << path;
    EXPECT_TRUE(reply.text.contains("native, basic, endpoints")) << reply.text;
  }
}

class GetDead : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(GetDead);

TEST_P(GetDead, ListsDeadLettersWithoutRedrivenOnes) {
  ApiHarness harness(on_store());
  harness.enqueue();
  harness.report(harness.lease(), "fail", R"("error":{"message":"m"},"retryable":false)");
  const std::string second = harness.enqueue();
  harness.report(harness.lease(), "fail", R"("error":{"message":"m"},"retryable":false)");
  harness.enqueue();
  EXPECT_EQ(ids_in(harness.get("/dead")).size(), 2U);
  harness.post("/jobs/" + second + "/redrive");
  EXPECT_EQ(ids_in(harness.get("/dead")).size(), 1U);
  EXPECT_EQ(ids_in(harness.get("/dead?redriven=true")).size(), 2U);
  EXPECT_EQ(ids_in(harness.get("/dead?redriven=false")).size(), 1U);
  EXPECT_EQ(harness.get("/dead?redriven=yes").fields(), "redriven");
  EXPECT_EQ(harness.get("/dead?state=QUEUED").fields(), "state");
  EXPECT_EQ(harness.get("/dead?state=CANCELED").fields(), "state");
  EXPECT_EQ(ids_in(harness.get("/dead?state=FAILED")).size(), 1U);
  EXPECT_EQ(harness.get("/dead?state=final&view=external").status, 200);
  EXPECT_EQ(harness.get("/jobs?redriven=true").code(), "UNKNOWN_FIELD");
}

TEST_P(GetDead, OmitsCanceledJobs) {
  HarnessOptions options = on_store();
  options.rules.cancel_path = Rules::CancelPath::system_claim;
  ApiHarness harness(options);
  const std::string gone = harness.enqueue();
  EXPECT_EQ(harness.post("/jobs/" + gone + "/cancel").status, 200);
  EXPECT_EQ(harness.get("/jobs/" + gone + "/details").at("state"), "DEAD");
  EXPECT_EQ(harness.get("/jobs/" + gone).at("status"), "CANCELED");
  EXPECT_EQ(harness.get("/jobs/" + gone + "/result").code(), "JOB_CANCELED");
  EXPECT_EQ(ids_in(harness.get("/jobs?state=CANCELED")), std::vector{gone});
  EXPECT_EQ(ids_in(harness.get("/jobs?state=DEAD")), std::vector{gone});
  EXPECT_TRUE(ids_in(harness.get("/jobs?state=FAILED")).empty());
  EXPECT_TRUE(ids_in(harness.get("/dead")).empty());
  EXPECT_EQ(harness.post("/dead/redrive", R"({"filter":{},"limit":9})").at("count"), "0");
}

class OneJob : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(OneJob);

TEST_P(OneJob, ShowsEverythingStoredAboutIt) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(
      R"("payload":{ "a" : 1e2 },"metadata":{"m":"n"},"maxRetries":0,"timeoutSeconds":7.5,)"
      R"("backoff":{"kind":"fixed","baseSeconds":0.5},"request":{"method":"GET","path":"/x"})");
  const Held held = harness.lease(R"("leaseSeconds":5)");
  harness.report(held, "heartbeat", R"("progress":50,"checkpoint":{"page":3},"log":"hello")");
  const Reply running = harness.get("/jobs/" + id + "/details");
  EXPECT_EQ(running.at("state"), "RUNNING");
  EXPECT_TRUE(running.text.contains(R"("payload":{ "a" : 1e2 })"));
  EXPECT_EQ(running.at("checkpoint"), R"({"page":3})");
  EXPECT_EQ(running.at("lease"), R"({"workerId":"w","expiresAt":"2027-01-15T08:00:05.000Z"})");
  EXPECT_EQ(running.at("attempt"), "1");
  EXPECT_EQ(running.at("metadata"), R"({"m":"n"})");
  EXPECT_EQ(running.at("request"), R"({"method":"GET","path":"/x"})");
  EXPECT_EQ(running.json.at("backoff").at("kind"), "fixed");
  harness.advance(Duration::seconds(2));
  harness.report(held, "fail", R"("error":{"code":"C","message":"m","details":[1]})");
  const Reply dead = harness.get("/jobs/" + id + "/details");
  EXPECT_EQ(dead.at("state"), "DEAD");
  EXPECT_EQ(dead.at("lease"), "null");
  EXPECT_EQ(dead.at("executionMillis"), "2000");
  EXPECT_EQ(dead.at("error"), R"({"code":"C","message":"m","details":[1]})");
  EXPECT_EQ(dead.json.at("errors").as_array().size(), 1U);
  EXPECT_EQ(harness.get("/jobs/" + id + "/details?view=native").text, dead.text);
  EXPECT_EQ(harness.get("/jobs/" + id + "/details?view=endpoints").at("Status"), "Failed");
  EXPECT_EQ(harness.get("/jobs/" + id + "/details?view=scheduler").at("state"), "Failed");
  EXPECT_EQ(harness.get("/jobs/" + id + "/logs").text,
            R"({"logs":[{"attempt":1,"text":"hello"}]})");
}

TEST_P(OneJob, HasItsVersionAsItsETag) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  for (const char* part : {"/details", "/history"}) {
    const Reply reply = harness.get("/jobs/" + id + part);
    EXPECT_EQ(reply.header("ETag"), '"' + std::to_string(harness.record(id).job.version) + '"');
    EXPECT_EQ(harness.get("/jobs/" + id + part, {{"If-None-Match", reply.header("ETag")}}).status,
              304);
  }
}

TEST_P(OneJob, ListsItsTransitions) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  harness.lease();
  const Reply reply = harness.get("/jobs/" + id + "/history");
  std::string path;
  for (const json::value& move : reply.json.at("history").as_array()) {
    path += std::string(move.at("to").as_string()) + " ";
  }
  EXPECT_EQ(path, "CREATED QUEUED RUNNING ");
  EXPECT_TRUE(reply.json.at("history").at(0).at("from").is_null());
  EXPECT_EQ(reply.json.at("history").at(2).at("workerId"), "w");
  EXPECT_EQ(reply.at("dropped"), "0");
}

TEST_P(OneJob, IsNotFoundByAnotherId) {
  ApiHarness harness(on_store());
  const std::string unknown = "019a0000-0000-7000-8000-000000000001";
  for (const char* part : {"/details", "/history", "/logs", "/explain", "/events"}) {
    for (const std::string& id : {unknown, std::string("x"), std::string("..")}) {
      SCOPED_TRACE(id + part);
      const Reply reply = harness.get("/jobs/" + id + part);
      EXPECT_EQ(reply.status, 404);
      EXPECT_EQ(reply.code(), "NOT_FOUND");
    }
  }
  for (const char* part : {"/promote", "/redrive"}) {
    EXPECT_EQ(harness.post("/jobs/" + unknown + part).status, 404);
    EXPECT_EQ(harness.post("/jobs/x" + std::string(part)).status, 404);
  }
  EXPECT_EQ(harness.post("/jobs/" + unknown + "/resolve", R"({"result":1})").status, 404);
}

class Explain : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(Explain);

std::string reasons(const Reply& reply) {
  std::string codes;
  for (const json::value& reason : reply.json.at("reasons").as_array()) {
    codes += codes.empty() ? "" : " ";
    codes += reason.at("code").as_string();
  }
  return codes;
}

TEST_P(Explain, ExplainsEachStateOfAJob) {
  ApiHarness harness(on_store());
  const auto explain = [&](const std::string& id) {
    return harness.get("/jobs/" + id + "/explain");
  };
  const std::string later = harness.enqueue(R"("delaySeconds":60)");
  EXPECT_EQ(reasons(explain(later)), "scheduled noWorker");
  EXPECT_EQ(explain(later).json.at("reasons").at(0).at("until"), "2027-01-15T08:01:00.000Z");
  const std::string first = harness.enqueue();
  const std::string second = harness.enqueue();
  EXPECT_EQ(reasons(explain(first)), "next noWorker");
  EXPECT_EQ(reasons(explain(second)), "behind noWorker");
  EXPECT_EQ(explain(second).at("behind"), "1");
  harness.post("/queues/default/pause");
  EXPECT_EQ(reasons(explain(second)), "behind queuePaused noWorker");
  EXPECT_EQ(explain(second).at("forecastStartAt"), "null");
  harness.post("/queues/default/resume");
  const Held held = harness.lease();
  EXPECT_EQ(reasons(explain(first)), "running");
  harness.report(held, "fail", R"("error":{"code":"SMTP","message":"no route"})");
  EXPECT_EQ(reasons(explain(first)), "backingOff");
  EXPECT_TRUE(explain(first).at("summary").contains("after SMTP: no route"));
  harness.report(harness.lease(), "handoff");
  EXPECT_EQ(reasons(explain(second)), "waitingForReply");
  harness.post("/jobs/" + later + "/cancel");
  EXPECT_EQ(reasons(explain(later)), "ended");
}

TEST_P(Explain, CountsToAThousand) {
  ApiHarness harness(on_store());
  std::string jobs;
  for (int i = 0; i < 1001; ++i) jobs += (i == 0 ? "" : ",") + std::string(R"({"jobType":"t"})");
  harness.post("/jobs/batch", R"({"jobs":[)" + jobs + "]}");
  const std::string last = harness.enqueue();
  EXPECT_EQ(harness.get("/jobs/" + last + "/explain").at("behind"), "1000+");
  harness.lease();
  EXPECT_EQ(harness.get("/jobs/" + last + "/explain").at("behind"), "1000");
}

TEST_P(Explain, ReportsAStuckJob) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  harness.advance(Duration::seconds(61));
  EXPECT_EQ(reasons(harness.get("/jobs/" + id + "/explain")), "next noWorker stuck");
}

}  // namespace
}  // namespace longshore
