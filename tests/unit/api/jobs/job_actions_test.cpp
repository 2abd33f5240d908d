// What operators do to jobs, one or many.
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

namespace json = boost::json;

class JobActions : public ApiTest {
 protected:
  static std::string dead_job(ApiHarness& harness, const std::string& members = "") {
    const std::string id = harness.enqueue(members);
    harness.report(harness.lease(), "fail", R"("error":{"message":"m"},"retryable":false)");
    return id;
  }
  static std::vector<std::string> actions(ApiHarness& harness) {
    std::vector<std::string> done;
    for (const AuditEntry& entry : harness.node().catalog().audit_trail("default", 100).value()) {
      done.push_back(entry.action + " by " + entry.actor.name);
      EXPECT_NE(entry.actor.request_id, "");
    }
    return done;
  }
};
LONGSHORE_ON_EVERY_STORE(JobActions);

TEST_P(JobActions, PromoteRunsAJobNow) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("delaySeconds":3600)");
  EXPECT_EQ(harness.state(id), "SCHEDULED");
  const Reply reply = harness.post("/jobs/" + id + "/promote");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.text, R"({"jobId":")" + id + R"(","status":"PENDING"})");
  EXPECT_EQ(harness.state(id), "QUEUED");
  EXPECT_EQ(harness.post("/jobs/" + id + "/promote", "{}").status, 200) << "it is due already";
  harness.lease();
  EXPECT_EQ(harness.post("/jobs/" + id + "/promote").code(), "WRONG_STATE");
  harness.post("/jobs/" + id + "/cancel", R"({"force":true})");
  EXPECT_EQ(harness.post("/jobs/" + id + "/promote").code(), "TERMINAL");
  EXPECT_EQ(harness.post("/jobs/" + id + "/promote", R"({"now":true})").code(), "UNKNOWN_FIELD");
  EXPECT_EQ(actions(harness).back(), "promote by local");
}

TEST_P(JobActions, ResolveEndsAJobWithoutRunningIt) {
  ApiHarness harness(on_store());
  const std::string good = harness.enqueue();
  const Reply completed = harness.post("/jobs/" + good + "/resolve", R"({"result":{"by":"me"}})");
  EXPECT_EQ(completed.status, 200);
  EXPECT_EQ(completed.at("status"), "COMPLETED");
  EXPECT_EQ(harness.get("/jobs/" + good + "/result").text, R"({"by":"me"})");
  EXPECT_EQ(harness.record(good).history[2].worker, "system");
  EXPECT_EQ(harness.post("/jobs/" + good + "/resolve", R"({"result":2})").code(), "TERMINAL");
  const std::string named = harness.enqueue();
  for (int i = 0; i < 2; ++i) {
    const Reply reply = harness.post("/jobs/" + named + "/resolve", R"({"result":1})",
                                     {{"Idempotency-Key", "mine"}});
    EXPECT_EQ(reply.at("status"), "COMPLETED") << "a repeat is answered as the first was";
  }
  const std::string null = harness.enqueue();
  EXPECT_EQ(harness.post("/jobs/" + null + "/resolve", R"({"result":null})").at("status"),
            "COMPLETED");
  const std::string bad = harness.enqueue();
  EXPECT_EQ(harness.post("/jobs/" + bad + "/resolve", R"({"error":{"code":"X","message":"m"}})")
                .at("status"),
            "FAILED");
  EXPECT_EQ(harness.state(bad), "DEAD");
  EXPECT_EQ(harness.record(bad).error->code, "X");
}

TEST_P(JobActions, ResolveNeedsAResultOrAnError) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  for (const char* body : {"", "{}", R"({"result":1,"error":{"message":"m"}})", R"({"error":"m"})",
                           R"({"error":{}})", R"({"error":{"message":"m","code":"POISON"}})"}) {
    SCOPED_TRACE(body);
    EXPECT_EQ(harness.post("/jobs/" + id + "/resolve", body).status, 422);
  }
  EXPECT_EQ(harness.post("/jobs/" + id + "/resolve", R"({"result":1,"x":2})").code(),
            "UNKNOWN_FIELD");
  EXPECT_EQ(harness.post("/jobs/" + id + "/resolve", "{").code(), "INVALID_JSON");
  EXPECT_EQ(harness.post("/jobs/" + id + "/resolve", "[1]").code(), "INVALID_FIELD");
  EXPECT_EQ(harness.state(id), "QUEUED");
}

TEST_P(JobActions, RedriveCreatesOneSuccessor) {
  ApiHarness harness(on_store());
  const std::string id =
      dead_job(harness, R"("payload":[1],"jobKey":"k","idempotencyKey":"i","priority":2)");
  const Reply reply = harness.post("/jobs/" + id + "/redrive");
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.at("status"), "PENDING");
  const std::string successor = reply.at("jobId");
  EXPECT_NE(successor, id);
  EXPECT_EQ(reply.header("Location"), "/jobs/" + successor);
  EXPECT_EQ(harness.post("/jobs/" + id + "/redrive").at("jobId"), successor);
  const Reply next = harness.get("/jobs/" + successor + "/details");
  EXPECT_EQ(next.at("redriveOf"), id);
  EXPECT_EQ(next.at("payload"), "[1]");
  EXPECT_EQ(next.at("jobKey"), "k");
  EXPECT_EQ(next.at("idempotencyKey"), "null");
  EXPECT_EQ(next.at("priority"), "2");
  EXPECT_EQ(harness.get("/jobs/" + id).at("successorId"), successor);
}

TEST_P(JobActions, RedriveMayChangeTheJob) {
  ApiHarness harness(on_store());
  const std::string id = dead_job(harness);
  const Reply reply = harness.post(
      "/jobs/" + id + "/redrive",
      R"({"payload":{"b":2},"queue":"q","priority":0,"maxRetries":9,"timeoutSeconds":0.5})");
  const Reply next = harness.get("/jobs/" + reply.at("jobId") + "/details");
  EXPECT_EQ(next.at("payload"), R"({"b":2})");
  EXPECT_EQ(next.at("queue"), "q");
  EXPECT_EQ(next.at("priority"), "0");
  EXPECT_EQ(next.at("maxRetries"), "9");
  EXPECT_EQ(next.json.at("timeoutSeconds"), 0.5);
}

TEST_P(JobActions, RedriveMayBeDelayed) {
  ApiHarness harness(on_store());
  for (const char* when : {R"("delaySeconds":600.5)", R"("runAt":"2999-01-02T04:04:05+01:00")"}) {
    SCOPED_TRACE(when);
    const std::string path = "/jobs/" + dead_job(harness) + "/redrive";
    const Reply reply = harness.post(path, "{" + std::string(when) + "}");
    EXPECT_EQ(reply.status, 202) << reply.at("detail");
    EXPECT_EQ(harness.state(reply.at("jobId")), "SCHEDULED");
  }
  const std::string path = "/jobs/" + dead_job(harness) + "/redrive";
  const Reply both = harness.post(path, R"({"delaySeconds":1,"runAt":"2999-01-02T03:04:05.000Z"})");
  EXPECT_EQ(both.status, 422);
  EXPECT_EQ(both.fields(), "delaySeconds");
  for (const char* when :
       {R"("delaySeconds":-1)", R"("delaySeconds":"1")", R"("runAt":"soon")", R"("runAt":5)"}) {
    SCOPED_TRACE(when);
    EXPECT_EQ(harness.post(path, "{" + std::string(when) + "}").status, 422);
  }
  EXPECT_EQ(harness.state(harness.post(path, R"({"delaySeconds":0})").at("jobId")), "QUEUED");
}

TEST_P(JobActions, RedriveRefusesJobsThatHaveNotFailed) {
  ApiHarness harness(on_store());
  const std::string live = harness.enqueue();
  EXPECT_EQ(harness.post("/jobs/" + live + "/redrive").code(), "WRONG_STATE");
  harness.report(harness.lease(), "complete");
  EXPECT_EQ(harness.post("/jobs/" + live + "/redrive").code(), "WRONG_STATE");
  const std::string dead = dead_job(harness, R"("jobKey":"k")");
  harness.enqueue(R"("jobKey":"k")");
  EXPECT_EQ(harness.post("/jobs/" + dead + "/redrive").code(), "KEY_IN_USE");
  for (const char* field : {R"("priority":10)", R"("priority":1.5)", R"("maxRetries":101)",
                            R"("timeoutSeconds":0)", R"("queue":"a b")", R"("jobType":"x")"}) {
    SCOPED_TRACE(field);
    EXPECT_EQ(harness.post("/jobs/" + dead + "/redrive", "{" + std::string(field) + "}").status,
              422);
  }
}

TEST_P(JobActions, CancelManyCancelsTheMatchingJobs) {
  ApiHarness harness(on_store());
  for (int i = 0; i < 3; ++i) harness.enqueue(R"("queue":"a")");
  harness.enqueue(R"("queue":"a","delaySeconds":60)");
  const std::string other = harness.enqueue(R"("queue":"b")");
  harness.lease(R"("queues":["a"])");
  const Reply dry =
      harness.post("/jobs/cancel", R"({"filter":{"queue":"a"},"limit":100,"dryRun":true})");
  EXPECT_EQ(dry.status, 200);
  EXPECT_EQ(dry.at("count"), "4");
  EXPECT_EQ(dry.at("more"), "false");
  EXPECT_EQ(harness.post("/jobs/cancel", R"({"filter":{"queue":"a"},"limit":1,"dryRun":true})")
                .at("matching"),
            "4")
      << "a dry run counts all matches";
  const Reply some = harness.post("/jobs/cancel", R"({"filter":{"queue":"a"},"limit":2})");
  EXPECT_EQ(some.at("count"), "2");
  EXPECT_EQ(some.json.at("jobs").as_array().size(), 2U);
  EXPECT_EQ(some.at("more"), "true");
  const Reply rest = harness.post("/jobs/cancel", R"({"filter":{"queue":"a"},"limit":10000})");
  EXPECT_EQ(rest.at("count"), "2");
  EXPECT_EQ(rest.at("more"), "false");
  const Reply again = harness.post("/jobs/cancel", R"({"filter":{"queue":"a"},"limit":10000})");
  EXPECT_EQ(again.text, R"({"count":0,"jobs":[],"more":false})") << "its worker was asked already";
  EXPECT_EQ(harness.state(other), "QUEUED");
  EXPECT_EQ(actions(harness), std::vector<std::string>(2, "cancel by local"))
      << "one entry for each call that changed a job";
}

TEST_P(JobActions, RedriveManyDoesWhatItsDryRunSays) {
  ApiHarness harness(on_store());
  std::vector<std::string> dead;
  const auto bury = [&](const std::string& members) {
    dead.push_back(harness.enqueue(members));
    harness.report(harness.lease(), "fail", R"("error":{"message":"m"},"retryable":false)");
  };
  bury(R"("jobKey":"live")");
  bury(R"("jobKey":"twice")");
  bury(R"("jobKey":"twice")");
  bury(R"("priority":5)");
  harness.enqueue(R"("jobKey":"live")");
  const std::string body = R"({"filter":{},"limit":100)";
  const Reply dry = harness.post("/dead/redrive", body + R"(,"dryRun":true})");
  EXPECT_EQ(dry.at("count"), "2") << "one key is live, another occurs twice";
  EXPECT_EQ(dry.text.find(dead[0]), std::string::npos);
  const Reply done = harness.post("/dead/redrive", body + "}");
  EXPECT_EQ(done.at("count"), "2");
  EXPECT_EQ(harness.post("/dead/redrive", body + R"(,"dryRun":true})").at("count"), "0");
}

TEST_P(JobActions, CancelManyIgnoresJobsCreatedLater) {
  ApiHarness harness(on_store());
  const std::string first = harness.enqueue();
  harness.advance(Duration::seconds(1));
  const std::string second = harness.enqueue();
  const Reply reply = harness.post(
      "/jobs/cancel", R"({"filter":{},"asOf":"2027-01-15T08:00:00.000Z","limit":100})");
  EXPECT_EQ(reply.at("jobs"), R"([{"jobId":")" + first + R"(","status":"CANCELED"}])");
  EXPECT_EQ(harness.state(second), "QUEUED");
}

TEST_P(JobActions, CancelManyCancelsThousands) {
  ApiHarness harness(on_store());
  std::string jobs;
  for (int i = 0; i < 1300; ++i) jobs += (i == 0 ? "" : ",") + std::string(R"({"jobType":"t"})");
  harness.post("/jobs/batch", R"({"jobs":[)" + jobs + "]}");
  const Reply reply = harness.post("/jobs/cancel", R"({"filter":{"state":"QUEUED"},"limit":1200})");
  EXPECT_EQ(reply.at("count"), "1200");
  EXPECT_EQ(reply.at("more"), "true");
}

TEST_P(JobActions, BulkRequestsAreValidated) {
  ApiHarness harness(on_store());
  struct Case {
    const char* body;
    const char* field;
  };
  for (const char* route : {"/jobs/cancel", "/dead/redrive"}) {
    for (const Case& c : {Case{R"({"limit":1})", "filter"}, Case{R"({"filter":{}})", "limit"},
                          Case{R"({"filter":{},"limit":0})", "limit"},
                          Case{R"({"filter":{},"limit":10001})", "limit"},
                          Case{R"({"filter":[],"limit":1})", "filter"},
                          Case{R"({"filter":{"state":"dead"},"limit":1})", "filter.state"},
                          Case{R"({"filter":{"limit":1},"limit":1})", "filter.limit"},
                          Case{R"({"filter":{"fingerprint":"x"},"limit":1})", "filter.fingerprint"},
                          Case{R"({"filter":{},"limit":1,"asOf":"now"})", "asOf"},
                          Case{R"({"filter":{},"limit":1,"dryRun":1})", "dryRun"},
                          Case{R"({"filter":{},"limit":1,"force":true})", "force"}}) {
      SCOPED_TRACE(std::string(route) + " " + c.body);
      const Reply reply = harness.post(route, c.body);
      EXPECT_EQ(reply.status, 422);
      EXPECT_EQ(reply.fields(), c.field);
    }
    EXPECT_EQ(harness.post(route).fields(), "filter limit");
    EXPECT_EQ(harness.get(route).status, 405);
  }
  EXPECT_EQ(harness.post("/dead/redrive", R"({"filter":{"state":"QUEUED"},"limit":1})").fields(),
            "filter.state");
}

TEST_P(JobActions, RedriveManyRedrivesOneErrorGroup) {
  ApiHarness harness(on_store());
  std::vector<std::string> ids;
  for (const char* message : {"order 1 is gone", "order 2 is gone", "no paper"}) {
    ids.push_back(harness.enqueue(R"("maxRetries":0)"));
    harness.report(harness.lease(), "fail",
                   R"("error":{"code":"E","message":")" + std::string(message) + R"("})");
  }
  std::string group;
  const Reply errors = harness.get("/errors");
  for (const json::value& each : errors.json.at("errors").as_array()) {
    if (each.at("count") == 2) group = each.at("fingerprint").as_string();
  }
  const Reply reply =
      harness.post("/dead/redrive", R"({"filter":{"fingerprint":")" + group + R"("},"limit":100})");
  EXPECT_EQ(reply.at("count"), "2");
  EXPECT_EQ(harness.get("/dead").json.at("jobs").as_array().size(), 1U);
  EXPECT_EQ(harness.get("/dead").json.at("jobs").at(0).at("jobId").as_string(), ids.at(2));
}

TEST_P(JobActions, RedriveManyRedrivesADeadLetterOnce) {
  ApiHarness harness(on_store());
  for (int i = 0; i < 3; ++i) dead_job(harness, R"("tags":["x"])");
  dead_job(harness);
  const Reply first = harness.post("/dead/redrive", R"({"filter":{"tag":"x"},"limit":2})");
  EXPECT_EQ(first.at("count"), "2");
  EXPECT_EQ(first.at("more"), "true");
  for (const json::value& job : first.json.at("jobs").as_array()) {
    EXPECT_EQ(harness.state(std::string(job.at("jobId").as_string())), "QUEUED");
  }
  EXPECT_EQ(harness.post("/dead/redrive", R"({"filter":{"tag":"x"},"limit":2})").at("count"), "1");
  EXPECT_EQ(harness.post("/dead/redrive", R"({"filter":{"tag":"x"},"limit":2})").at("count"), "0");
}

}  // namespace
}  // namespace longshore
