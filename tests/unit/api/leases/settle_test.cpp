#include "api/leases/routes.h"
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

class Settle : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(Settle);

TEST_P(Settle, HeartbeatExtendsTheLeaseAndReportsACancel) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Held held = harness.lease(R"("leaseSeconds":10)");
  harness.time().advance(Duration::seconds(5));
  const Reply plain = harness.report(held, "heartbeat");
  EXPECT_EQ(plain.status, 200);
  EXPECT_EQ(plain.text, R"({"leaseExpiresAt":"2027-01-15T08:00:15.000Z","cancelRequested":false})");
  const Reply longer = harness.report(held, "heartbeat", R"("extendSeconds":60,"log":"a\u0000b")");
  EXPECT_EQ(longer.at("leaseExpiresAt"), "2027-01-15T08:01:05.000Z");
  EXPECT_EQ(harness.post("/jobs/" + held.job + "/cancel").status, 202);
  EXPECT_EQ(harness.report(held, "heartbeat").at("cancelRequested"), "true");
}

TEST_P(Settle, CompleteEndsTheJobAndMayBeRepeated) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Held held = harness.lease();
  const Reply done = harness.report(held, "complete", R"("result":[1],"log":"line")");
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.text, R"({"jobId":")" + held.job + R"(","status":"COMPLETED"})");
  EXPECT_EQ(harness.report(held, "complete", R"("result":[1])").text, done.text);
  const Reply other = harness.report(held, "complete", R"("result":[2])");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.code(), "ALREADY_SETTLED");
  EXPECT_EQ(harness.report(held, "heartbeat").code(), "LEASE_LOST");
}

TEST_P(Settle, FailRetriesOrEnds) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Held first = harness.lease();
  const Reply retried =
      harness.report(first, "fail", R"("error":{"message":"m"},"retryAfterSeconds":5,"log":"l")");
  EXPECT_EQ(retried.at("status"), "PENDING");
  EXPECT_EQ(harness.state(first.job), "RETRY");
  EXPECT_EQ(harness.record(first.job).error->code, "ERROR");
  harness.advance(Duration::seconds(5));
  const Reply dead =
      harness.report(harness.lease(), "fail", R"("error":{"message":"m"},"retryable":false)");
  EXPECT_EQ(dead.at("status"), "FAILED");
}

TEST_P(Settle, FailWithCanceledEndsCanceled) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Reply reply = harness.report(harness.lease(), "fail",
                                     R"("error":{"code":"CANCELED","message":"as asked"})");
  EXPECT_EQ(reply.at("status"), "CANCELED");
}

TEST_P(Settle, ReleaseReturnsTheJobToTheFront) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  harness.enqueue();
  const Held held = harness.lease();
  EXPECT_EQ(harness.report(held, "release", R"("checkpoint":{"at":3})").at("status"), "PENDING");
  const Held again = harness.lease();
  EXPECT_EQ(again.job, id);
  EXPECT_EQ(boost::json::serialize(again.lease.at("checkpoint")), R"({"at":3})");
  EXPECT_EQ(harness.report(again, "release", R"("delaySeconds":60)").status, 200);
  EXPECT_EQ(harness.state(id), "RETRY");
}

TEST_P(Settle, HandoffWaitsForAReply) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Held held = harness.lease();
  const Reply handed = harness.report(held, "handoff", R"("timeoutSeconds":600)");
  EXPECT_EQ(handed.at("status"), "RUNNING");
  EXPECT_EQ(harness.state(held.job), "WAITING");
  EXPECT_EQ(harness.report(held, "heartbeat").at("leaseExpiresAt"), "2027-01-15T08:10:00.000Z");
  EXPECT_EQ(harness.report(held, "complete").at("status"), "COMPLETED");
}

TEST_P(Settle, RefusesATokenThatHoldsNothing) {
  ApiHarness harness(on_store());
  harness.enqueue();
  const Held held = harness.lease(R"("leaseSeconds":1)");
  for (const std::string verb : {"heartbeat", "complete", "fail", "release", "handoff"}) {
    SCOPED_TRACE(verb);
    const std::string rest = verb == "fail" ? R"("error":{"message":"m"})" : "";
    for (const std::string& token :
         {std::string("nonsense"), std::string(), "2" + held.token, std::string(300, 'x')}) {
      const Reply reply = harness.report({.job = held.job, .token = token}, verb, rest);
      EXPECT_EQ(reply.status, 409);
      EXPECT_EQ(reply.code(), "LEASE_LOST");
    }
    const Held nobody{.job = "01900000-0000-7000-8000-000000000000", .token = held.token};
    EXPECT_EQ(harness.report(nobody, verb, rest).status, 404);
    EXPECT_EQ(harness.report({.job = "nope", .token = held.token}, verb, rest).status, 404);
  }
  harness.time().advance(Duration::seconds(1));
  EXPECT_EQ(harness.report(held, "complete").code(), "LEASE_LOST");
}

struct BadWord {
  std::string verb;
  std::string members;
  int status = 422;
  std::string code = "INVALID_FIELD";
  std::string fields;
};

TEST(SettleStrictness, NamesEveryFieldThatIsWrong) {
  const std::string large = '"' + std::string(1024 * 1024, 'x') + '"';
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  const std::vector<BadWord> cases = {
      {"heartbeat", R"("extendSeconds":0.5)", 422, "INVALID_FIELD", "extendSeconds"},
      {"heartbeat", R"("extendSeconds":86401)", 422, "INVALID_FIELD", "extendSeconds"},
      {"heartbeat", R"("progress":100.5)", 422, "INVALID_FIELD", "progress"},
      {"heartbeat", R"("progress":"5")", 422, "INVALID_FIELD", "progress"},
      {"heartbeat", R"("log":["a"])", 422, "INVALID_FIELD", "log"},
      {"heartbeat", R"("checkpoint":)" + large, 413, "TOO_LARGE", "checkpoint"},
      {"heartbeat", R"("checkpoint":)" + deep, 422, "INVALID_FIELD", "checkpoint"},
      {"heartbeat", R"("result":1)", 422, "UNKNOWN_FIELD", "result"},
      {"complete", R"("result":)" + large, 413, "TOO_LARGE", "result"},
      {"complete", R"("result":)" + deep, 422, "INVALID_FIELD", "result"},
      {"complete", R"("error":{})", 422, "UNKNOWN_FIELD", "error"},
      {"fail", "", 422, "INVALID_FIELD", "error"},
      {"fail", R"("error":"boom")", 422, "INVALID_FIELD", "error"},
      {"fail", R"("error":{})", 422, "INVALID_FIELD", "error.message"},
      {"fail", R"("error":{"message":1})", 422, "INVALID_FIELD", "error.message"},
      {"fail", R"("error":{"message":"m","code":""})", 422, "INVALID_FIELD", "error.code"},
      {"fail", R"("error":{"message":"m","code":"TIMEOUT"})", 422, "INVALID_FIELD", "error.code"},
      {"fail", R"("error":{"message":"m","code":"LEASE_LOST"})", 422, "INVALID_FIELD",
       "error.code"},
      {"fail", R"("error":{"message":"m","code":"RELEASED"})", 422, "INVALID_FIELD", "error.code"},
      {"fail", R"("error":{"message":"m","code":"POISON"})", 422, "INVALID_FIELD", "error.code"},
      {"fail", R"("error":{"message":"m","code":"EXPIRED"})", 422, "INVALID_FIELD", "error.code"},
      {"fail", R"("error":{"message":"m","stack":"s"})", 422, "UNKNOWN_FIELD", "error.stack"},
      {"fail", R"("error":{"message":"m","details":)" + large + "}", 413, "TOO_LARGE",
       "error.details"},
      {"fail", R"("error":{"message":"m"},"retryable":"no")", 422, "INVALID_FIELD", "retryable"},
      {"fail", R"("error":{"message":"m"},"retryAfterSeconds":2592001)", 422, "INVALID_FIELD",
       "retryAfterSeconds"},
      {"release", R"("delaySeconds":-1)", 422, "INVALID_FIELD", "delaySeconds"},
      {"handoff", R"("timeoutSeconds":0)", 422, "INVALID_FIELD", "timeoutSeconds"},
  };
  ApiHarness harness;
  harness.enqueue();
  const Held held = harness.lease();
  for (const BadWord& one : cases) {
    SCOPED_TRACE(one.verb + " " + one.members.substr(0, 80));
    const Reply reply = harness.report(held, one.verb, one.members);
    EXPECT_EQ(reply.status, one.status);
    EXPECT_EQ(reply.code(), one.code);
    EXPECT_EQ(reply.fields(), one.fields);
  }
  for (const std::string verb : {"heartbeat", "complete", "release", "handoff"}) {
    EXPECT_EQ(harness.post("/jobs/" + held.job + "/" + verb).fields(), "leaseToken");
  }
  EXPECT_EQ(harness.report(held, "complete").status, 200);
}

TEST(SettleStrictness, AcceptsDetailsAsDeepAsPayloads) {
  ApiHarness harness;
  harness.enqueue();
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  const Reply reply =
      harness.report(harness.lease(), "fail", R"("error":{"message":"m","details":)" + deep + "}");
  EXPECT_EQ(reply.status, 200);
}

class PostCancel : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(PostCancel);

TEST_P(PostCancel, EndsAWaitingJobAtOnceAndMayBeRepeated) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  for (int i = 0; i < 2; ++i) {
    const Reply reply = harness.post("/jobs/" + id + "/cancel");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.text, R"({"jobId":")" + id + R"(","status":"CANCELED"})");
  }
}

TEST_P(PostCancel, AsksTheWorkerToStopOrRevokesItsLease) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const Held held = harness.lease();
  const Reply asked = harness.post("/jobs/" + id + "/cancel", R"({"force":false})");
  EXPECT_EQ(asked.status, 202);
  EXPECT_EQ(asked.at("status"), "RUNNING");
  const Reply taken = harness.post("/jobs/" + id + "/cancel", R"({"force":true})");
  EXPECT_EQ(taken.status, 200);
  EXPECT_EQ(taken.at("status"), "CANCELED");
  EXPECT_EQ(harness.report(held, "complete").code(), "LEASE_LOST");
}

TEST_P(PostCancel, IsRefusedAfterAnotherEnd) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  harness.report(harness.lease(), "complete");
  const Reply reply = harness.post("/jobs/" + id + "/cancel");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.code(), "TERMINAL");
  EXPECT_EQ(harness.post("/jobs/nope/cancel").status, 404);
  EXPECT_EQ(harness.post("/jobs/" + id + "/cancel", R"({"force":1})").fields(), "force");
  EXPECT_EQ(harness.post("/jobs/" + id + "/cancel", R"({"why":1})").code(), "UNKNOWN_FIELD");
}

TEST_P(PostCancel, IsWrittenToTheAuditTrailWhenAnOperatorDoesIt) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  harness.post("/jobs/" + id + "/cancel", "", {{"X-Request-Id", "req-7"}});
  const auto trail = harness.node().catalog().audit_trail("default", 10).value();
  ASSERT_EQ(trail.size(), 1U);
  EXPECT_EQ(trail[0].actor.request_id, "req-7");
  EXPECT_EQ(trail[0].target, id);
}

}  // namespace
}  // namespace longshore
