#include "api/leases/routes.h"
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

class PostSettle : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(PostSettle);

std::string outcome(const Held& held, const std::string& how) {
  return R"({"jobId":")" + held.job + R"(","leaseToken":")" + held.token + "\"," + how + "}";
}

std::string verdict(const Reply& reply, std::size_t index) {
  const auto& one = reply.json.at("verdicts").as_array().at(index).as_object();
  return std::string((one.contains("status") ? one.at("status") : one.at("code")).as_string());
}

TEST_P(PostSettle, SettlesEachIndependentlyInOrder) {
  ApiHarness harness(on_store());
  for (int i = 0; i < 5; ++i) harness.enqueue();
  const Held a = harness.lease();
  const Held b = harness.lease();
  const Held c = harness.lease();
  const Held d = harness.lease();
  const Held e = harness.lease();
  const std::string large = '"' + std::string(1024 * 1024, 'x') + '"';
  const Reply reply = harness.post(
      "/leases/settle", R"({"outcomes":[)" + outcome(a, R"("result":{"r":1})") + "," +
                            outcome(b, R"("error":{"message":"m"},"retryable":false)") + "," +
                            outcome(c, R"("release":true)") + "," +
                            outcome({.job = d.job, .token = "nonsense"}, R"("result":null)") + "," +
                            outcome({.job = "nope", .token = d.token}, R"("result":null)") + "," +
                            outcome(d, R"("error":{"message":"m","code":"TIMEOUT"})") + "," +
                            outcome(e, R"("result":)" + large) + "," + outcome(a, R"("result":2)") +
                            "]}");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(verdict(reply, 0), "COMPLETED");
  EXPECT_EQ(verdict(reply, 1), "FAILED");
  EXPECT_EQ(verdict(reply, 2), "PENDING");
  EXPECT_EQ(verdict(reply, 3), "LEASE_LOST");
  EXPECT_EQ(verdict(reply, 4), "NOT_FOUND");
  EXPECT_EQ(verdict(reply, 5), "INVALID_FIELD");
  EXPECT_EQ(verdict(reply, 6), "TOO_LARGE");
  EXPECT_EQ(verdict(reply, 7), "ALREADY_SETTLED");
  EXPECT_TRUE(reply.text.starts_with(R"({"verdicts":[{"jobId":")" + a.job +
                                     R"(","status":"COMPLETED"},{"jobId":")"));
  EXPECT_EQ(harness.get("/jobs/" + a.job + "/result").text, R"({"r":1})");
  EXPECT_EQ(harness.state(e.job), "RUNNING");
}

TEST_P(PostSettle, AcceptsNoneAndThousands) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.post("/leases/settle", R"({"outcomes":[]})").text, R"({"verdicts":[]})");
  std::string body = R"({"jobs":[)";
  for (int i = 0; i < 500; ++i) body += R"({"jobType":"t"},)";
  body.back() = ']';
  harness.post("/jobs/batch", body + "}");
  const Reply leases = harness.post("/leases", R"({"workerId":"w","maxJobs":500})");
  std::string outcomes = R"({"outcomes":[)";
  for (const auto& lease : leases.json.at("leases").as_array()) {
    outcomes += outcome({.job = std::string(lease.at("jobId").as_string()),
                         .token = std::string(lease.at("leaseToken").as_string())},
                        R"("result":1)") +
                ',';
  }
  outcomes.back() = ']';
  const Reply reply = harness.post("/leases/settle", outcomes + "}");
  ASSERT_EQ(reply.json.at("verdicts").as_array().size(), 500U);
  EXPECT_EQ(verdict(reply, 499), "COMPLETED");
}

TEST(PostSettleStrictness, RefusesTheWholeBodyIfAnInvalidOutcomeNamesNoJob) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {R"({})", "INVALID_FIELD", "outcomes"},
      {R"({"outcomes":{}})", "INVALID_FIELD", "outcomes"},
      {R"({"outcomes":[[]]})", "INVALID_FIELD", "outcomes[0]"},
      {R"({"outcomes":[{"result":1}]})", "INVALID_FIELD",
       "outcomes[0].jobId outcomes[0].leaseToken"},
      {R"({"outcomes":[{"jobId":7,"leaseToken":"t","result":1}]})", "INVALID_FIELD",
       "outcomes[0].jobId"},
      {R"({"outcomes":[],"x":1})", "UNKNOWN_FIELD", "x"},
  };
  ApiHarness harness;
  for (const auto& [body, code, fields] : cases) {
    SCOPED_TRACE(body);
    const Reply reply = harness.post("/leases/settle", body);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), code);
    EXPECT_EQ(reply.fields(), fields);
  }
}

TEST(PostSettleStrictness, RefusesOneOutcomeAndSettlesTheOthers) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("leaseToken":"t")", "INVALID_FIELD"},
      {R"("result":1)", "INVALID_FIELD"},
      {R"("leaseToken":1,"result":1)", "INVALID_FIELD"},
      {R"("leaseToken":"t","result":1,"release":true)", "INVALID_FIELD"},
      {R"("leaseToken":"t","release":false)", "INVALID_FIELD"},
      {R"("leaseToken":"t","error":{})", "INVALID_FIELD"},
      {R"("leaseToken":"t","error":7)", "INVALID_FIELD"},
      {R"("leaseToken":"t","error":{"message":"m"},"retryAfterSeconds":-1)", "INVALID_FIELD"},
      {R"("leaseToken":"t","result":1,"retryable":true)", "UNKNOWN_FIELD"},
      {R"("leaseToken":"t","result":1,"log":"l")", "UNKNOWN_FIELD"},
  };
  ApiHarness harness;
  for (const auto& [members, code] : cases) {
    SCOPED_TRACE(members);
    harness.enqueue();
    const Held held = harness.lease();
    const Reply reply =
        harness.post("/leases/settle", R"({"outcomes":[{"jobId":"j",)" + members + "}," +
                                           outcome(held, R"("result":1)") + "]}");
    ASSERT_EQ(reply.status, 200) << reply.text;
    EXPECT_TRUE(reply.text.starts_with(R"({"verdicts":[{"jobId":"j","code":")" + code + "\"}"))
        << reply.text;
    EXPECT_EQ(verdict(reply, 1), "COMPLETED");
  }
}

class ByKey : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(ByKey);

TEST_P(ByKey, ShowsTheLiveElseTheLatestJob) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.get("/types/t/keys/k").status, 404);
  const std::string first = harness.enqueue(R"("jobKey":"k")");
  harness.report(harness.lease(), "complete");
  EXPECT_EQ(harness.get("/types/t/keys/k").at("jobId"), first);
  const std::string second = harness.enqueue(R"("jobKey":"k")");
  const Reply reply = harness.get("/types/t/keys/k");
  EXPECT_EQ(reply.at("jobId"), second);
  EXPECT_EQ(reply.text, harness.get("/jobs/" + second).text);
  EXPECT_EQ(harness.get("/types/t/keys/k", {{"If-None-Match", reply.header("ETag")}}).status, 304);
  EXPECT_EQ(harness.get("/types/u/keys/k").status, 404);
}

TEST_P(ByKey, AcceptsAnyKeyInThePath) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("jobKey":"a/b ü?")");
  EXPECT_EQ(harness.get("/types/t/keys/a%2Fb%20%C3%BC%3F").at("jobId"), id);
  EXPECT_EQ(harness.get("/types/t/keys/%00").status, 404);
  EXPECT_EQ(harness.get("/types/t/keys/%FF").status, 404);
  EXPECT_EQ(harness.get("/types/%00/keys/k").status, 404);
  EXPECT_EQ(harness.post("/types/a%20b/keys/k/complete").status, 404);
  EXPECT_EQ(harness.get("/types/t/keys/" + std::string(300, 'k')).status, 404);
  EXPECT_EQ(harness.get("/types/t/keys/%2").status, 400);
}

TEST_P(ByKey, FinishesAStartedJobAndRevokesItsLease) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("jobKey":"k")");
  const Reply never = harness.post("/types/t/keys/k/complete", R"({"result":1})");
  EXPECT_EQ(never.status, 409);
  EXPECT_EQ(never.code(), "WRONG_STATE");
  const Held held = harness.lease();
  const Reply fenced = harness.post("/types/t/keys/k/complete", R"({"result":1,"fence":7})");
  EXPECT_EQ(fenced.status, 409);
  EXPECT_EQ(fenced.code(), "LEASE_LOST");
  const Reply done = harness.post("/types/t/keys/k/complete", R"({"result":{"x":1},"fence":1})");
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.text, R"({"jobId":")" + id + R"(","status":"COMPLETED"})");
  EXPECT_EQ(harness.get("/jobs/" + id + "/result").text, R"({"x":1})");
  EXPECT_EQ(harness.report(held, "complete").code(), "LEASE_LOST");
  EXPECT_EQ(harness.post("/types/t/keys/k/complete", R"({"result":1})").status, 404);
}

TEST_P(ByKey, FailsAStartedJob) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("jobKey":"k")");
  harness.report(harness.lease(), "handoff");
  const Reply reply = harness.post("/types/t/keys/k/fail",
                                   R"({"error":{"code":"E","message":"m"},"retryable":false})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.at("status"), "FAILED");
  EXPECT_EQ(harness.record(id).error->code, "E");
}

TEST_P(ByKey, MayBeRepeatedUnderAnIdempotencyKey) {
  ApiHarness harness(on_store());
  harness.enqueue(R"("jobKey":"k")");
  harness.lease();
  const std::string body = R"({"result":1})";
  const Reply first = harness.post("/types/t/keys/k/complete", body, {{"Idempotency-Key", "r"}});
  const Reply again = harness.post("/types/t/keys/k/complete", body, {{"Idempotency-Key", "r"}});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.text, first.text);
}

TEST(ByKeyStrictness, NamesEveryFieldThatIsWrong) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"complete", R"({"fence":"1"})", "fence"},
      {"complete", R"({"fence":-1})", "fence"},
      {"complete", R"({"leaseToken":"x"})", "leaseToken"},
      {"fail", R"({})", "error"},
      {"fail", R"({"error":{"message":"m","code":"TIMEOUT"}})", "error.code"},
      {"fail", R"({"error":{"message":"m"},"retryAfterSeconds":1})", "retryAfterSeconds"},
  };
  ApiHarness harness;
  harness.enqueue(R"("jobKey":"k")");
  for (const auto& [verb, body, fields] : cases) {
    SCOPED_TRACE(verb + body);
    const Reply reply = harness.post("/types/t/keys/k/" + verb, body);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.fields(), fields);
  }
}

}  // namespace
}  // namespace longshore
