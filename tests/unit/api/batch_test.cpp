// POST /jobs/batch.
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

class PostBatch : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(PostBatch);

TEST_P(PostBatch, AnswersInOrderAndStoresAll) {
  ApiHarness harness(on_store());
  const Reply reply = harness.post(
      "/jobs/batch", R"({"jobs":[{"jobType":"a","payload":1},{"jobType":"b","payload":2}]})");
  ASSERT_EQ(reply.status, 202) << reply.text;
  const auto& jobs = reply.json.at("jobs").as_array();
  ASSERT_EQ(jobs.size(), 2U);
  const std::string second(jobs[1].at("jobId").as_string());
  EXPECT_EQ(harness.record(second).job.type, "b");
  EXPECT_EQ(jobs[1].at("status").as_string(), "PENDING");
}

TEST_P(PostBatch, ProcessesJobsInOrderAsIfSentSingly) {
  ApiHarness harness(on_store());
  const Reply reply = harness.post("/jobs/batch", R"({"jobs":[
      {"jobType":"t","idempotencyKey":"k"},{"jobType":"t","idempotencyKey":"k"}]})");
  const auto& jobs = reply.json.at("jobs").as_array();
  EXPECT_EQ(jobs[0].at("jobId"), jobs[1].at("jobId"));
}

TEST_P(PostBatch, StoresNothingIfOneIsRefused) {
  ApiHarness harness(on_store());
  const std::string holder = harness.enqueue(R"("jobKey":"k")");
  const Reply reply = harness.post("/jobs/batch", R"({"jobs":[{"jobType":"u"},
      {"jobType":"t","jobKey":"k","onConflict":"reject"}]})");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.code(), "KEY_IN_USE");
  EXPECT_EQ(reply.at("jobId"), holder);
  EXPECT_EQ(reply.fields(), "jobs[1].jobKey");
  const Reply none = harness.post("/leases", R"({"workerId":"w","jobTypes":["u"]})");
  EXPECT_EQ(none.text, R"({"leases":[]})");
}

TEST_P(PostBatch, AcceptsTenThousandJobs) {
  ApiHarness harness(on_store());
  std::string body = R"({"jobs":[)";
  for (int i = 0; i < 10'000; ++i) body += R"({"jobType":"t","payload":"not quite small"},)";
  body.back() = ']';
  const Reply reply = harness.post("/jobs/batch", body + "}");
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.json.at("jobs").as_array().size(), 10'000U);
}

TEST(PostBatchStrictness, NamesEachItemThatIsWrong) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {R"({})", "INVALID_FIELD", "jobs"},
      {R"({"jobs":[]})", "INVALID_FIELD", "jobs"},
      {R"({"jobs":{}})", "INVALID_FIELD", "jobs"},
      {R"({"jobs":[1]})", "INVALID_FIELD", "jobs[0]"},
      {R"({"jobs":[{"jobType":"t"},{"jobType":"t","priority":10},{}]})", "INVALID_FIELD",
       "jobs[1].priority jobs[2].jobType"},
      {R"({"jobs":[{"jobType":"t","x":1}]})", "UNKNOWN_FIELD", "jobs[0].x"},
      {R"({"jobs":[{"jobType":"t"}],"more":1})", "UNKNOWN_FIELD", "more"},
      {R"({"jobs":[{"jobType":"t"},{"jobType":"t","payload":)" + std::string(65, '[') +
           std::string(65, ']') + "}]}",
       "INVALID_FIELD", "jobs[1].payload"},
  };
  ApiHarness harness;
  for (const auto& [body, code, fields] : cases) {
    SCOPED_TRACE(body);
    const Reply reply = harness.post("/jobs/batch", body);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), code);
    EXPECT_EQ(reply.fields(), fields);
  }
}

TEST(PostBatchStrictness, NamesAtMostAHundred) {
  std::string body = R"({"jobs":[)";
  for (int i = 0; i < 200; ++i) body += "{},";
  body.back() = ']';
  ApiHarness harness;
  const Reply reply = harness.post("/jobs/batch", body + "}");
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(reply.json.at("errors").as_array().size(), 100U);
}

TEST(PostBatchStrictness, RefusesTenThousandAndOne) {
  std::string body = R"({"jobs":[)";
  for (int i = 0; i < 10'001; ++i) body += R"({"jobType":"t"},)";
  body.back() = ']';
  ApiHarness harness;
  EXPECT_EQ(harness.post("/jobs/batch", body + "}").fields(), "jobs");
}

TEST(PostBatchStrictness, RefusesTheIdempotencyKeyHeader) {
  ApiHarness harness;
  const Reply reply =
      harness.post("/jobs/batch", R"({"jobs":[{"jobType":"t"}]})", {{"Idempotency-Key", "k"}});
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(reply.fields(), "Idempotency-Key");
}

TEST(PostBatchStrictness, NamesTheJobThatTheStoreRefuses) {
  ApiHarness harness;
  const Reply reply = harness.post("/jobs/batch", R"({"jobs":[{"jobType":"t"},
      {"jobType":"t","expiresAt":"2020-01-01T00:00:00Z"}]})");
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(reply.fields(), "jobs[1].expiresAt");
}

}  // namespace
}  // namespace longshore
