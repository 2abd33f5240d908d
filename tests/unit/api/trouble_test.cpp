// Answers when the store fails or is overloaded.
#include "unit/api/api_harness.h"
#include "unit/api/troubled_store.h"

namespace longshore {
namespace {

class TroubleTest : public ::testing::Test {
 protected:
  static HarnessOptions with(std::shared_ptr<Trouble> trouble) {
    HarnessOptions options;
    options.trouble = std::move(trouble);
    return options;
  }

  std::shared_ptr<Trouble> trouble = std::make_shared<Trouble>();
  ApiHarness harness{with(trouble)};
};

TEST_F(TroubleTest, TellsWhetherTheOutcomeIsUnknown) {
  struct Case {
    Errc errc;
    int status;
    std::string code;
  };
  const std::string id = harness.enqueue();
  const Held held = harness.lease();
  for (const Case& one :
       {Case{Errc::unavailable, 503, "STORE_UNAVAILABLE"}, Case{Errc::disk_full, 507, "DISK_FULL"},
        Case{Errc::corrupt, 500, "INTERNAL"}, Case{Errc::overloaded, 429, "OVERLOADED"}}) {
    SCOPED_TRACE(one.code);
    trouble->fail_with(Error{one.errc, "a bad day"});
    const std::vector<Reply> replies = {
        harness.post("/jobs", R"({"jobType":"t"})"),
        harness.post("/jobs/batch", R"({"jobs":[{"jobType":"t"}]})"),
        harness.post("/leases", R"({"workerId":"w"})"),
        harness.report(held, "heartbeat"),
        harness.post("/jobs/" + id + "/cancel"),
        harness.post("/leases/settle", R"({"outcomes":[{"jobId":")" + id + R"(","leaseToken":")" +
                                           held.token + R"(","result":1}]})"),
        harness.post("/types/t/keys/k/complete", "{}"),
    };
    for (const Reply& reply : replies) {
      EXPECT_EQ(reply.status, one.status);
      EXPECT_EQ(reply.code(), one.code);
      EXPECT_EQ(reply.header("Retry-After"), one.errc == Errc::overloaded ? "1" : "");
    }
  }
  trouble->fail_with(std::nullopt);
  EXPECT_EQ(harness.report(held, "complete").status, 200) << "the failed commit had no effect";
}

TEST_F(TroubleTest, ReportsAPartialSettleAsUnknown) {
  harness.enqueue();
  const Held held = harness.lease();
  // One commit takes 500 outcomes of one job.
  trouble->fail_by([settled = false](auto commands) mutable -> std::optional<Error> {
    if (!std::holds_alternative<Complete>(commands.front())) return std::nullopt;
    if (!std::exchange(settled, true)) return std::nullopt;
    return Error{Errc::overloaded, "a bad day"};
  });
  const std::string outcome =
      R"({"jobId":")" + held.job + R"(","leaseToken":")" + held.token + R"(","result":1})";
  std::string outcomes = outcome;
  for (int i = 0; i < 500; ++i) outcomes += "," + outcome;
  const Reply reply = harness.post("/leases/settle", R"({"outcomes":[)" + outcomes + "]}");
  EXPECT_EQ(harness.state(held.job), "SUCCESS");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.code(), "STORE_UNAVAILABLE");
}

TEST_F(TroubleTest, RefusesNewJobsButNotOutcomesWhenOverloaded) {
  harness.enqueue();
  const Held held = harness.lease();
  trouble->hold(true);
  const auto first = harness.begin("POST", "/jobs", R"({"jobType":"t"})");
  trouble->wait_for_commit();
  std::string batch = R"({"jobs":[)";
  for (int i = 0; i < 10'000; ++i) batch += R"({"jobType":"t"},)";
  batch.back() = ']';
  batch += '}';
  std::vector<std::shared_ptr<TestExchange>> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(harness.begin("POST", "/jobs/batch", batch));
  const Reply refused = harness.post("/jobs/batch", batch);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "OVERLOADED");
  EXPECT_GE(std::stoi(refused.header("Retry-After")), 1);
  const auto outcome =
      harness.begin("POST", "/jobs/" + held.job + "/complete", with_token(held.token));
  EXPECT_FALSE(outcome->answered());
  trouble->hold(false);
  EXPECT_EQ(outcome->wait().status, 200);
  EXPECT_EQ(first->wait().status, 202);
  for (const auto& exchange : taken) EXPECT_EQ(exchange->wait().status, 202);
}

TEST_F(TroubleTest, AnswersRequestsAfterTheStop) {
  const std::string id = harness.enqueue();
  harness.node().stop();
  EXPECT_EQ(harness.post("/jobs", R"({"jobType":"t"})").code(), "STORE_UNAVAILABLE");
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w"})").code(), "STORE_UNAVAILABLE");
  EXPECT_EQ(harness.get("/jobs/" + id).status, 200);
}

}  // namespace
}  // namespace longshore
