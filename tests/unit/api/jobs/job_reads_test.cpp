#include "api/jobs/job_calls.h"
#include "core/ids/lease_token.h"
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

class GetJob : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(GetJob);

// Blocks until this many calls wait for a job.
void wait_for_waiters(ApiHarness& harness, std::size_t count) {
  await(std::to_string(count) + " calls wait for a job",
        [&] { return harness.api().waits().waiting() >= count; });
}

TEST_P(GetJob, ShowsOnlyThePublicMembers) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("payload":{"secret":1})");
  const Reply fresh = harness.get("/jobs/" + id);
  EXPECT_EQ(fresh.status, 200);
  EXPECT_EQ(fresh.text, R"({"jobId":")" + id +
                            R"(","jobType":"t","status":"PENDING",)"
                            R"("createdAt":"2027-01-15T08:00:00.000Z",)"
                            R"("updatedAt":"2027-01-15T08:00:00.000Z",)"
                            R"("runAt":"2027-01-15T08:00:00.000Z"})");
  const Held held = harness.lease();
  harness.report(held, "heartbeat", R"("progress":12.5)");
  harness.post("/jobs/" + id + "/cancel");
  const Reply running = harness.get("/v1/jobs/" + id);
  EXPECT_EQ(running.at("status"), "RUNNING");
  EXPECT_EQ(running.at("startedAt"), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(running.at("progress"), "1.25E1");
  EXPECT_EQ(running.at("cancelRequested"), "true");
  EXPECT_EQ(running.at("completedAt"), "");
  harness.report(held, "complete");
  EXPECT_EQ(harness.get("/jobs/" + id).at("completedAt"), "2027-01-15T08:00:00.000Z");
}

TEST_P(GetJob, HasItsVersionAsETag) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const Reply reply = harness.get("/jobs/" + id);
  const std::string etag = reply.header("ETag");
  EXPECT_EQ(etag, '"' + std::to_string(harness.record(id).job.version) + '"');
  for (const std::string& match : {etag, "W/" + etag, "\"x\", " + etag, std::string("*")}) {
    SCOPED_TRACE(match);
    const Reply same = harness.get("/jobs/" + id, {{"If-None-Match", match}});
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.text, "");
    EXPECT_EQ(same.content_type, "");
    EXPECT_EQ(same.header("ETag"), etag);
  }
  const Held held = harness.lease();
  const Reply changed = harness.get("/jobs/" + id, {{"If-None-Match", etag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.header("ETag"), etag);
  harness.report(held, "heartbeat");
  EXPECT_EQ(harness.get("/jobs/" + id).header("ETag"), changed.header("ETag"));
  harness.report(held, "heartbeat", R"("checkpoint":1)");
  EXPECT_NE(harness.get("/jobs/" + id).header("ETag"), changed.header("ETag"));
}

TEST_P(GetJob, WaitsUntilTheJobHasEnded) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const Held held = harness.lease();
  const auto exchange = harness.begin("GET", "/jobs/" + id + "?waitSeconds=60");
  const auto preferring =
      harness.begin("GET", "/jobs/" + id, "", {{"Prefer", "respond-async, wait=20"}});
  wait_for_waiters(harness, 2);
  EXPECT_FALSE(exchange->answered());
  harness.report(held, "complete");
  EXPECT_EQ(harness.finish(exchange).at("status"), "COMPLETED");
  const Reply preferred = harness.finish(preferring);
  EXPECT_EQ(preferred.at("status"), "COMPLETED");
  EXPECT_EQ(preferred.header("Preference-Applied"), "wait=20");
  EXPECT_EQ(harness.api().waits().waiting(), 0U);
}

TEST_P(GetJob, SeesAnEndBetweenItsReadAndItsWait) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const Held held = harness.lease();
  harness.catalog().after_next_glance([&] {
    const LeaseToken token = parse_lease_token(held.token).value();
    EXPECT_TRUE(harness.node()
                    .ask_for<Settled>(
                        Complete{.ns = "default", .job = parse_job_id(id).value(), .token = token})
                    .ok());
  });
  EXPECT_EQ(harness.get("/jobs/" + id + "?waitSeconds=60").at("status"), "COMPLETED");
}

TEST_P(GetJob, AnswersTheCurrentStateAfterTheWait) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const auto exchange = harness.begin("GET", "/jobs/" + id + "?waitSeconds=1.5");
  wait_for_waiters(harness, 1);
  harness.time().advance(Duration::millis(1499));
  EXPECT_FALSE(exchange->answered());
  harness.time().advance(Duration::millis(1));
  EXPECT_EQ(harness.finish(exchange).at("status"), "PENDING");
}

TEST_P(GetJob, ForgetsClientsThatDisconnected) {
  ApiHarness harness(on_store());
  const auto exchange = harness.begin("GET", "/jobs/" + harness.enqueue() + "?waitSeconds=60");
  wait_for_waiters(harness, 1);
  exchange->hang_up();
  EXPECT_TRUE(eventually([&] { return harness.api().waits().waiting() == 0; }));
  EXPECT_FALSE(exchange->answered());
}

TEST_P(GetJob, AnswersAllWaitingClientsWhenTheServerStops) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const auto exchange = harness.begin("GET", "/jobs/" + id + "?waitSeconds=60");
  wait_for_waiters(harness, 1);
  harness.api().drain();
  EXPECT_EQ(harness.finish(exchange).at("status"), "PENDING");
  EXPECT_EQ(harness.get("/jobs/" + id + "?waitSeconds=60").at("status"), "PENDING");
}

TEST_P(GetJob, RefusesAWaitOutOfItsRange) {
  ApiHarness harness(on_store());
  const std::string path = "/jobs/" + harness.enqueue();
  for (const std::string query : {"waitSeconds=61", "waitSeconds=-1", "waitSeconds=x",
                                  "waitSeconds=", "waitSeconds=1&waitSeconds=1"}) {
    SCOPED_TRACE(query);
    const Reply reply = harness.get(path + "?" + query);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.fields(), "waitSeconds");
  }
  EXPECT_EQ(harness.get(path, {{"Prefer", "wait=61"}}).status, 422);
  EXPECT_EQ(harness.get(path, {{"Prefer", "wait=soon"}}).status, 200);
  const Reply unknown = harness.get(path + "?wait=5");
  EXPECT_EQ(unknown.code(), "UNKNOWN_FIELD");
  EXPECT_EQ(unknown.fields(), "wait");
}

TEST_P(GetJob, IsNotFoundForAnInvalidId) {
  ApiHarness harness(on_store());
  for (const std::string id : {"nope", "01900000-0000-7000-8000-000000000000",
                               "01900000-0000-4000-8000-000000000000", "%00"}) {
    SCOPED_TRACE(id);
    for (const std::string& path : {"/jobs/" + id, "/jobs/" + id + "/result"}) {
      const Reply reply = harness.get(path);
      EXPECT_EQ(reply.status, 404);
      EXPECT_EQ(reply.code(), "NOT_FOUND");
    }
  }
}

class GetResult : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(GetResult);

TEST_P(GetResult, IsTheBytesThatTheWorkerSent) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const Reply unfinished = harness.get("/jobs/" + id + "/result");
  EXPECT_EQ(unfinished.status, 202);
  EXPECT_EQ(unfinished.text, R"({"jobId":")" + id + R"(","status":"PENDING"})");
  harness.report(harness.lease(), "complete", R"("result":{ "a" : 1.00, "a":2})");
  const Reply finished = harness.get("/jobs/" + id + "/result");
  EXPECT_EQ(finished.status, 200);
  EXPECT_EQ(finished.content_type, "application/json");
  EXPECT_EQ(finished.text, R"({ "a" : 1.00, "a":2})");
}

TEST_P(GetResult, IsNullIfThereIsNone) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  harness.report(harness.lease(), "complete");
  EXPECT_EQ(harness.get("/jobs/" + id + "/result").text, "null");
}

TEST_P(GetResult, ExplainsWhyThereIsNone) {
  ApiHarness harness(on_store());
  const std::string dead = harness.enqueue();
  const std::string message = std::string(600, 'x');
  harness.report(
      harness.lease(), "fail",
      R"("retryable":false,"error":{"code":"BOOM","message":")" + message + R"(\nsecond line"})");
  const Reply failed = harness.get("/jobs/" + dead + "/result");
  EXPECT_EQ(failed.status, 409);
  EXPECT_EQ(failed.code(), "JOB_FAILED");
  EXPECT_EQ(failed.json.at("error").at("code").as_string(), "BOOM");
  EXPECT_EQ(failed.json.at("error").at("message").as_string(), message.substr(0, 500));
  const std::string gone = harness.enqueue();
  harness.post("/jobs/" + gone + "/cancel");
  const Reply canceled = harness.get("/jobs/" + gone + "/result");
  EXPECT_EQ(canceled.status, 409);
  EXPECT_EQ(canceled.code(), "JOB_CANCELED");
  EXPECT_EQ(canceled.json.at("error").at("code").as_string(), "CANCELED");
}

TEST_P(GetResult, WaitsToo) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const Held held = harness.lease();
  const auto exchange = harness.begin("GET", "/jobs/" + id + "/result?waitSeconds=5");
  wait_for_waiters(harness, 1);
  harness.report(held, "complete", R"("result":7)");
  EXPECT_EQ(harness.finish(exchange).text, "7");
}

}  // namespace
}  // namespace longshore
